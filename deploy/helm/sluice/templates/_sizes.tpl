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

{{/* A duration of settings in seconds; empty if it is none in whole seconds, minutes or hours. */}}
{{- define "sluice.seconds" -}}
{{- if regexMatch "^[1-9][0-9]{0,5}[smh]$" . -}}
{{- $number := trimSuffix "s" . | trimSuffix "m" | trimSuffix "h" | int64 -}}
{{- if hasSuffix "h" . -}}{{- mul $number 3600 -}}{{- else if hasSuffix "m" . -}}{{- mul $number 60 -}}{{- else -}}{{- $number -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The least server.memory that leaves anything for data, in MiB. Fixed: the JVM and event loops (114), a catalog and
     buffers for each disk (31, of hdd 39, and 44 from 816 for each disk on, where four units are staged), and what each connection takes with TLS (384 KiB) or gRPC (256 KiB). Shares:
     an eighth is heap, 64 at least, and a twentieth of that for its collector, a thirty-second for reads, 8 at least,
     twice as much for caches, of hdd an eighth. */}}
{{- define "sluice.budgetFloor" -}}
{{- $fixed := 114 -}}
{{- $caches := 2 -}}
{{- range .Values.server.disks -}}
{{- if eq .class "hdd" -}}{{- $fixed = add $fixed 39 -}}{{- $caches = 4 -}}{{- else -}}{{- $fixed = add $fixed 31 -}}{{- end -}}
{{- end -}}
{{- $connections := get .Values.server.settings "server.connections.max" | default "512" | int64 -}}
{{- $kibibytes := 0 -}}
{{- if ne .Values.security.tls.mode "none" -}}{{- $kibibytes = 384 -}}{{- end -}}
{{- if hasKey .Values.server.settings "server.grpc.port" -}}{{- $kibibytes = add $kibibytes 256 -}}{{- end -}}
{{- $fixed = add $fixed (div (mul $connections $kibibytes) 1024) -}}
{{- $least := max 256 (div (mul 32 (add $fixed 72)) (sub 32 $caches)) (div (mul 320 $fixed) (sub 268 (mul 10 $caches))) -}}
{{- if ge $least (mul 816 (len .Values.server.disks) | int64) -}}
{{- range .Values.server.disks -}}{{- if ne .class "hdd" -}}{{- $fixed = add $fixed 13 -}}{{- end -}}{{- end -}}
{{- $least = max (div (mul 32 (add $fixed 72)) (sub 32 $caches)) (div (mul 320 $fixed) (sub 268 (mul 10 $caches))) -}}
{{- end -}}
{{- $least -}}
{{- end -}}

{{/* How long a stop may write memory to disks, in seconds, unless server.settings says so: memory divided by what all disks take, twice, since they
     are also read meanwhile; a minute at least. 14,745 MiB at 200 MB/s are 78 s, so 156 s. */}}
{{- define "sluice.flushSeconds" -}}
{{- $own := include "sluice.seconds" (get .Values.server.settings "server.stop.flush-timeout") -}}
{{- if $own -}}
{{- $own -}}
{{- else -}}
{{- $speed := 0 -}}
{{- range .Values.server.disks -}}{{- $speed = add $speed (int64 .megabytesPerSecond) -}}{{- end -}}
{{- $megabytes := div (mul (include "sluice.budget" . | int64) 1049) 1000 -}}
{{- max 60 (div (add (mul 2 $megabytes) $speed -1) $speed) -}}
{{- end -}}
{{- end -}}

{{/* Until SIGKILL: clients have a quarter of the above to go, then memory is written, disks are synced and sealed. */}}
{{- define "sluice.graceSeconds" -}}
{{- $flush := include "sluice.flushSeconds" . | int64 -}}
{{- add $flush (div $flush 2) 30 -}}
{{- end -}}

{{/* coordinator.server.restart-grace, unless coordinator.settings says so: a stop, and two minutes for the pod to be
     placed and to start. */}}
{{- define "sluice.restartGraceSeconds" -}}
{{- $own := include "sluice.seconds" (get .Values.coordinator.settings "coordinator.server.restart-grace") -}}
{{- if $own -}}
{{- $own -}}
{{- else -}}
{{- add (include "sluice.graceSeconds" . | int64) 120 -}}
{{- end -}}
{{- end -}}
