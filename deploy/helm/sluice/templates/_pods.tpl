{{/* Rights of all pods and containers: none. Their user can write to their volumes and /tmp. */}}
{{- define "sluice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "sluice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Alive: the process answers. A server that is not ready is not restarted for it: its data can be read. */}}
{{- define "sluice.probes" -}}
startupProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /health/ready
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{- define "sluice.podName" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- end -}}

{{/* Keys and certificates, where the properties look for them; replaced certificates are seen without a restart. */}}
{{- define "sluice.credentialMounts" -}}
{{- if .Values.security.enabled }}
- name: cluster-key
  mountPath: /etc/sluice/key
  readOnly: true
{{- end }}
{{- if ne .Values.security.tls.mode "none" }}
- name: tls
  mountPath: /etc/sluice/tls
  readOnly: true
{{- end }}
{{- end -}}

{{- define "sluice.credentialVolumes" -}}
{{- if .Values.security.enabled }}
- name: cluster-key
  secret:
    secretName: {{ include "sluice.clusterKeySecret" . }}
    defaultMode: 0440
{{- end }}
{{- if ne .Values.security.tls.mode "none" }}
- name: tls
  secret:
    secretName: {{ include "sluice.tlsSecret" . }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{/* How a command in a coordinator's pod reaches whichever coordinator leads. */}}
{{- define "sluice.operatorOptions" -}}
--coordinator {{ include "sluice.quorum" . }}
{{- if .Values.security.enabled }} --cluster-key-file /etc/sluice/key/cluster.key{{ end }}
{{- if ne .Values.security.tls.mode "none" }} --tls-trust-file /etc/sluice/tls/ca.crt{{ end }}
{{- if .Values.security.tls.clientCertificates }} --tls-certificate-file /etc/sluice/tls/tls.crt --tls-key-file /etc/sluice/tls/tls.key{{ end }}
{{- end -}}

{{/* The secret with what coordinators log in to ZooKeeper with; empty without a login. Nobody else mounts it. */}}
{{- define "sluice.zooKeeperLoginSecret" -}}
{{- if .Values.zookeeper.login.existingSecret -}}
{{- .Values.zookeeper.login.existingSecret -}}
{{- else if and (eq .Values.zookeeper.mode "bundled") .Values.security.enabled (not .Values.security.clusterKey.existingSecret) -}}
{{- printf "%s-zookeeper-login" (include "sluice.fullname" .) -}}
{{- end -}}
{{- end -}}

{{- define "sluice.clusterKeySecret" -}}
{{- default (printf "%s-cluster-key" (include "sluice.fullname" .)) .Values.security.clusterKey.existingSecret -}}
{{- end -}}

{{- define "sluice.tlsSecret" -}}
{{- if eq .Values.security.tls.mode "secret" -}}
{{- .Values.security.tls.existingSecret -}}
{{- else -}}
{{- printf "%s-tls" (include "sluice.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* Keeps the pods of a component apart where that is possible. Takes root, component and the values' own. */}}
{{- define "sluice.affinity" -}}
{{- $own := index . 2 -}}
{{- if $own }}
{{- toYaml $own }}
{{- else -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "sluice.selector" (list (index . 0) (index . 1)) | nindent 12 }}
{{- end }}
{{- end -}}
