{{/* What is wrong with memory and processors, a line for each problem. */}}
{{- define "sluice.resourcesProblems" -}}
{{- $budget := include "sluice.budget" . | int64 -}}
{{- $floor := include "sluice.budgetFloor" . | int64 -}}
{{- if lt $budget $floor }}
{{ printf "server.memory = %s leaves %d MiB to the process, which needs %d for so many disks and connections before it has any for data: %dMi or more, or less server.connections.max" .Values.server.memory $budget $floor (div (add (mul $floor 10) 8) 9) }}
{{- end -}}
{{- range $component := list "coordinator" "zookeeper" -}}
{{- $resources := (index $.Values $component).resources | default dict -}}
{{- $requests := $resources.requests | default dict -}}
{{- $limits := $resources.limits | default dict -}}
{{- if and $requests.memory $limits.memory -}}
{{- if lt (include "sluice.mebibytes" $limits.memory | int64) (include "sluice.mebibytes" $requests.memory | int64) }}
{{ printf "%s.resources: the limit of memory (%s) is below the request (%s)" $component $limits.memory $requests.memory }}
{{- end -}}
{{- end -}}
{{- if and $requests.cpu $limits.cpu -}}
{{- if lt (include "sluice.millicores" $limits.cpu | int64) (include "sluice.millicores" $requests.cpu | int64) }}
{{ printf "%s.resources: the limit of cpu (%v) is below the request (%v)" $component $limits.cpu $requests.cpu }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $coordinator := dig "limits" "memory" "" (.Values.coordinator.resources | default dict) -}}
{{- if $coordinator -}}
{{- if lt (include "sluice.mebibytes" $coordinator | int64) 256 }}
{{ printf "coordinator.resources.limits.memory = %s: a coordinator has 128 MiB of heap at least, and needs 256Mi" $coordinator }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity of processors in thousandths. */}}
{{- define "sluice.millicores" -}}
{{- $text := toString . -}}
{{- if hasSuffix "m" $text -}}{{- trimSuffix "m" $text | int64 -}}{{- else -}}{{- mulf (float64 $text) 1000 | int64 -}}{{- end -}}
{{- end -}}
