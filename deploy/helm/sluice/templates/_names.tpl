{{/* Names and labels. A release called sluice gives "sluice", any other "RELEASE-sluice". */}}
{{- define "sluice.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Takes a list of the root and a component. */}}
{{- define "sluice.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "sluice.labels" -}}
{{- $root := index . 0 -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "sluice.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{/* The domain under which the pods of a component have a name each. */}}
{{- define "sluice.domain" -}}
{{- $root := index . 0 -}}
{{- printf "%s-%s.%s.svc.%s" (include "sluice.fullname" $root) (index . 1) $root.Release.Namespace $root.Values.clusterDomain -}}
{{- end -}}

{{/* name:port,name:port of all pods of a component. Takes root, component, replicas, port. */}}
{{- define "sluice.members" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $port := index . 3 -}}
{{- $domain := include "sluice.domain" (list $root $component) -}}
{{- $members := list -}}
{{- range $i := until (int (index . 2)) -}}
{{- $members = append $members (printf "%s-%s-%d.%s:%d" (include "sluice.fullname" $root) $component $i $domain (int $port)) -}}
{{- end -}}
{{- join "," $members -}}
{{- end -}}

{{- define "sluice.quorum" -}}
{{- include "sluice.members" (list . "coordinator" .Values.coordinator.replicas 7400) -}}
{{- end -}}
