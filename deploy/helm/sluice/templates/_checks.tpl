{{/* What the schema cannot say: values that contradict each other, all told at once. */}}
{{- define "sluice.check" -}}
{{- $problems := list -}}
{{- if and (eq .Values.zookeeper.mode "embedded") (gt (int .Values.coordinator.replicas) 1) -}}
{{- $problems = append $problems "coordinator.replicas above 1 need zookeeper.mode bundled or external" -}}
{{- end -}}
{{- if and (eq .Values.zookeeper.mode "external") (not .Values.zookeeper.connect) -}}
{{- $problems = append $problems "zookeeper.mode external needs zookeeper.connect" -}}
{{- end -}}
{{- if and (ne .Values.zookeeper.mode "external") .Values.zookeeper.connect -}}
{{- $problems = append $problems "zookeeper.connect needs zookeeper.mode external" -}}
{{- end -}}
{{- if and .Values.security.enabled (eq .Values.security.tls.mode "none") (not .Values.security.trustedNetwork) -}}
{{- $problems = append $problems "security.tls.mode none lets secrets cross the network in the clear: choose certManager or secret, or set security.trustedNetwork=true if nobody listens" -}}
{{- end -}}
{{- if and .Values.zookeeper.login.existingSecret (eq .Values.zookeeper.mode "embedded") -}}
{{- $problems = append $problems "zookeeper.login.existingSecret needs zookeeper.mode bundled or external: the embedded one takes connections of its own process only" -}}
{{- end -}}
{{- if and .Values.security.enabled (eq .Values.zookeeper.mode "bundled") (not (include "sluice.zooKeeperLoginSecret" .)) (not .Values.networkPolicy.enabled) (not (hasKey .Values.coordinator.settings "coordinator.zookeeper.digest-file")) -}}
{{- $problems = append $problems "zookeeper.mode bundled with a secret of your own lets every pod write to ZooKeeper: enable networkPolicy, or name a secret with a login in zookeeper.login.existingSecret" -}}
{{- end -}}
{{- if and (eq .Values.security.tls.mode "secret") (not .Values.security.tls.existingSecret) -}}
{{- $problems = append $problems "security.tls.mode secret needs security.tls.existingSecret" -}}
{{- end -}}
{{- if and .Values.security.tls.clientCertificates (eq .Values.security.tls.mode "none") -}}
{{- $problems = append $problems "security.tls.clientCertificates needs another security.tls.mode than none" -}}
{{- end -}}
{{- $names := list -}}
{{- range .Values.server.disks -}}{{- $names = append $names .name -}}{{- end -}}
{{- if ne (len $names) (len (uniq $names)) -}}
{{- $problems = append $problems "server.disks has a name twice" -}}
{{- end -}}
{{- $problems = concat $problems (include "sluice.settingsProblems" . | trim | splitList "\n") | compact -}}
{{- $problems = concat $problems (include "sluice.resourcesProblems" . | trim | splitList "\n") | compact -}}
{{- $grace := include "sluice.restartGraceSeconds" . | int64 -}}
{{- if and (gt $grace 3600) (not (hasKey .Values.coordinator.settings "coordinator.server.restart-grace")) (not (hasKey .Values.server.settings "server.stop.flush-timeout")) -}}
{{- $problems = append $problems (printf "server.memory takes %d s to write to server.disks and to come back from, and coordinators wait for an hour at most: less memory, or more or faster disks" $grace) -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n%d problem(s) with the values:\n  - %s\n" (len $problems) (join "\n  - " $problems)) -}}
{{- end -}}
{{- end -}}
