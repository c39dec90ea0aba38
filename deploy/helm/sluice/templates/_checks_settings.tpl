{{/* What is wrong with coordinator.settings and server.settings, a line for each problem. Keys that there are: files/,
     which a test holds equal to those of the processes. */}}
{{- define "sluice.settingsProblems" -}}
{{- $servers := dict
      "server.coordinators" "it follows from coordinator.replicas"
      "server.host" "it is each pod's own name"
      "server.memory" "set the value server.memory"
      "server.data-dirs" "set the value server.disks"
      "server.port" "probes, Services and the network policy go by 7410"
      "server.http.port" "probes, Services and the network policy go by 7411" -}}
{{- $coordinators := dict
      "coordinator.host" "it is each pod's own name"
      "coordinator.port" "probes, Services and the network policy go by 7400"
      "coordinator.http.port" "probes, Services and the network policy go by 7401"
      "coordinator.http.tls" "probes and the ServiceMonitor speak plain HTTP"
      "coordinator.data-dir" "it is the volume of coordinator.storage"
      "coordinator.zookeeper.connect" "set the values zookeeper.mode and zookeeper.connect"
      "coordinator.zookeeper.root" "it follows from namespace and release" -}}
{{- if include "sluice.zooKeeperLoginSecret" . -}}
{{- $_ := set $coordinators "coordinator.zookeeper.digest-file" "set the value zookeeper.login.existingSecret" -}}
{{- end -}}
{{- include "sluice.keyProblems" (list . "coordinator" $coordinators) }}
{{ include "sluice.keyProblems" (list . "server" $servers) }}
{{ include "sluice.timeProblems" . }}
{{- end -}}

{{/* Of one component. Takes root, component, and what to do instead for each key that the chart writes. */}}
{{- define "sluice.keyProblems" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $written := index . 2 -}}
{{- $known := $root.Files.Get (printf "files/%s.keys" $component) | splitList "\n" -}}
{{- range $key, $value := (index $root.Values $component).settings -}}
{{- if hasKey $written $key }}
{{ printf "%s.settings: %s is the chart's to write: %s" $component $key (get $written $key) }}
{{- else if hasPrefix "security." $key }}
{{ printf "%s.settings: %s is the chart's to write: set the values under security" $component $key }}
{{- else if not (has $key $known) }}
{{ printf "%s.settings: there is no setting %q (docs/configuration.md)" $component ($key | replace "\n" " ") }}
{{- else if regexMatch "[\r\n\\\\]" $value }}
{{ printf "%s.settings: %s has an end of line or a backslash in it" $component $key }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Times of stops that pods and coordinators have to agree on. */}}
{{- define "sluice.timeProblems" -}}
{{- $flush := get .Values.server.settings "server.stop.flush-timeout" -}}
{{- $grace := get .Values.coordinator.settings "coordinator.server.restart-grace" -}}
{{- range $key, $value := dict "server.stop.flush-timeout" $flush "coordinator.server.restart-grace" $grace -}}
{{- if $value -}}
{{- $seconds := include "sluice.seconds" $value -}}
{{- if or (not $seconds) (gt (int64 $seconds) 3600) }}
{{ printf "%s = %s: the chart needs whole seconds, minutes or hours, such as 90s, and an hour at most" $key ($value | replace "\n" " ") }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $stop := include "sluice.graceSeconds" . | int64 -}}
{{- if and (include "sluice.seconds" $grace) (lt (include "sluice.restartGraceSeconds" . | int64) $stop) }}
{{ printf "coordinator.server.restart-grace = %s is over before a server has stopped, which may take %d s: a longer one, or a shorter server.stop.flush-timeout" $grace $stop }}
{{- else if and $flush (not $grace) (gt (include "sluice.restartGraceSeconds" . | int64) 3600) }}
{{ printf "server.stop.flush-timeout = %s: a stop and a start take %d s then, and coordinators wait for an hour at most" $flush (include "sluice.restartGraceSeconds" . | int64) }}
{{- end -}}
{{- end -}}
