{{/* A quantity of memory in MiB. */}}
{{- define "sluice.mebibytes" -}}
{{- $number := regexFind "^[0-9]+" . | int64 -}}
{{- if hasSuffix "Gi" . -}}{{- mul $number 1024 -}}{{- else -}}{{- $number -}}{{- end -}}
{{- end -}}

{{/* server.memory, in MiB: nine tenths of the container. The rest is for the shell that starts the server and for
     what the system counts as the container's, sockets and files that are being written among it. */}}
{{- define "sluice.budget" -}}
{{- div (mul (include "sluice.mebibytes" .Values.server.memory | int64) 9) 10 -}}
{{- end -}}

{{/* How long a stop may write memory to disks, in seconds: memory divided by what all disks take, twice, since they
     are also read meanwhile; a minute at least. 14,745 MiB at 200 MB/s are 78 s, so 156 s. */}}
{{- define "sluice.flushSeconds" -}}
{{- $speed := 0 -}}
{{- range .Values.server.disks -}}{{- $speed = add $speed (int64 .megabytesPerSecond) -}}{{- end -}}
{{- $megabytes := div (mul (include "sluice.budget" . | int64) 1049) 1000 -}}
{{- max 60 (div (add (mul 2 $megabytes) $speed -1) $speed) -}}
{{- end -}}

{{/* Until SIGKILL: clients have a quarter of the above to go, then memory is written, disks are synced and sealed. */}}
{{- define "sluice.graceSeconds" -}}
{{- $flush := include "sluice.flushSeconds" . | int64 -}}
{{- add $flush (div $flush 2) 30 -}}
{{- end -}}

{{/* coordinator.server.restart-grace: a stop, and two minutes for the pod to be placed and to start. */}}
{{- define "sluice.restartGraceSeconds" -}}
{{- add (include "sluice.graceSeconds" . | int64) 120 -}}
{{- end -}}
