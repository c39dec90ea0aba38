{{/* Settings of coordinators and servers alike. */}}
{{- define "sluice.securitySettings" -}}
security.enabled = {{ .Values.security.enabled }}
{{- if .Values.security.enabled }}
security.cluster-key-file = /etc/sluice/key/cluster.key
{{- end }}
{{- if ne .Values.security.tls.mode "none" }}
security.tls.certificate-file = /etc/sluice/tls/tls.crt
security.tls.key-file = /etc/sluice/tls/tls.key
security.tls.trust-file = /etc/sluice/tls/ca.crt
security.tls.client-certificates = {{ .Values.security.tls.clientCertificates }}
{{- end }}
{{- if .Values.security.trustedNetwork }}
security.trusted-network = true
{{- end }}
{{- end -}}

{{- define "sluice.coordinatorSettings" -}}
coordinator.server.restart-grace = {{ include "sluice.restartGraceSeconds" . }}s
{{- if eq .Values.zookeeper.mode "embedded" }}
coordinator.data-dir = /data/coordinator
{{- else if eq .Values.zookeeper.mode "bundled" }}
coordinator.zookeeper.connect = {{ include "sluice.members" (list . "zookeeper" .Values.zookeeper.replicas 2181) }}
coordinator.zookeeper.root = /sluice
{{- else }}
coordinator.zookeeper.connect = {{ .Values.zookeeper.connect }}
coordinator.zookeeper.root = /{{ .Release.Namespace }}-{{ include "sluice.fullname" . }}
{{- end }}
{{- if include "sluice.zooKeeperLoginSecret" . }}
coordinator.zookeeper.digest-file = /etc/sluice/zookeeper/zookeeper.login
{{- end }}
{{ include "sluice.securitySettings" . }}
{{- range $key, $value := omit .Values.coordinator.settings "coordinator.server.restart-grace" }}
{{ $key }} = {{ $value }}
{{- end }}
{{- end -}}

{{- define "sluice.serverSettings" -}}
{{- $dirs := list -}}
{{- range .Values.server.disks -}}
{{- $dirs = append $dirs (printf "%s:/data/%s/sluice" .class .name) -}}
{{- end -}}
server.coordinators = {{ include "sluice.quorum" . }}
server.memory = {{ include "sluice.budget" . }}m
server.data-dirs = {{ join "," $dirs }}
server.stop.flush-timeout = {{ include "sluice.flushSeconds" . }}s
{{ include "sluice.securitySettings" . }}
{{- range $key, $value := omit .Values.server.settings "server.stop.flush-timeout" }}
{{ $key }} = {{ $value }}
{{- end }}
{{- end -}}
