# Shared by the scripts beside it; sourced, never run.
# Exit codes are those of io.sluice.cli.ExitCode.

SLUICE_HOME=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# A distribution has its jars in lib; a source tree has what it has built.
is_distribution() { [ -d "$SLUICE_HOME/lib" ]; }

# modules_of_spark PARTS ARGUMENTS...: what the Spark of --spark needs to run, with the parts of its own that are
# named (home, or suites and their home); a line that is not there is refused by the command itself.
modules_of_spark() {
  local parts=$1 client=client-spark/spark-3.5 line=spark argument previous= part modules
  shift
  for argument in "$@"; do
    case "$previous $argument" in
      '--spark 4.'* | *' --spark=4.'*)
        client=client-spark/scala-2.13
        line=spark-4.2
        ;;
    esac
    previous=$argument
  done
  modules=cli,$client,benchmarks
  for part in $parts; do
    modules+=,benchmarks/$line-$part
  done
  printf '%s\n' "$modules"
}

# fail CODE MESSAGE...
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# wants_help ARGUMENTS...
wants_help() {
  local argument
  for argument in "$@"; do
    case $argument in
      -h | --help) return 0 ;;
    esac
  done
  return 1
}

# Finds a Java that is new enough, in JAVA_HOME or on the path.
find_java() {
  JAVA=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$JAVA" >/dev/null 2>&1 ||
    fail 78 "no Java: $JAVA is not there; install a JDK 17 or set JAVA_HOME"
  local version
  version=$("$JAVA" -XshowSettings:properties -version 2>&1 |
    sed -n 's/^ *java\.specification\.version = //p') || true # said below
  case $version in
    '' | *[!0-9]*) fail 78 "Java is too old: $JAVA is version ${version:-unknown}, Sluice needs 17" ;;
  esac
  [ "$version" -ge 17 ] || fail 78 "Java is too old: $JAVA is version $version, Sluice needs 17"
}

# Temporary files need a directory with room; JVMs say less clearly what is wrong with it.
check_temporary_directory() {
  local directory=${TMPDIR:-/tmp}
  [ -d "$directory" ] || fail 74 "TMPDIR is not a directory: $directory"
  [ -w "$directory" ] || fail 74 "cannot write to $directory (TMPDIR)"
}

# build MODULES [OPTION...]: packages modules and what they need, with options for Maven, unless all were built after
# the last change of a source. Every module has a marker of its own, so that it does not matter which script built it.
# One command builds at a time: those that begin meanwhile wait, and find it done.
build() {
  if is_distribution || is_built "$1"; then
    return
  fi
  lock_tree
  is_built "$1" || package "$@"
  exec 9>&- # not for what runs afterwards, which may run for long
}

# Held until descriptor 9 is closed, here and in Maven: if this is killed, others still wait for what it has begun.
lock_tree() {
  local directory=$SLUICE_HOME/target
  { mkdir -p "$directory" && exec 9>"$directory/.building"; } || fail 74 "cannot write to $directory"
  command -v flock >/dev/null 2>&1 || return 0 # not on every system; then whoever starts two at once has to know
  if ! flock --nonblock 9; then
    printf 'Waiting for another command that builds in %s ...\n' "$SLUICE_HOME" >&2
    flock 9 || fail 74 "cannot lock $directory/.building"
  fi
}

# package MODULES [OPTION...]
package() {
  local modules=$1 started=$SECONDS log begun
  shift
  command -v mvn >/dev/null 2>&1 || fail 78 "nothing is built yet, and there is no Maven (mvn) to build with"
  log=$(mktemp "${TMPDIR:-/tmp}/sluice-build.XXXXXX") || fail 74 "cannot write to ${TMPDIR:-/tmp} (TMPDIR)"
  begun=$(date +%s.%N) # what is changed while Maven runs is newer than this
  if ! head -c 65536 /dev/zero 2>/dev/null >"$log"; then
    rm -f "$log"
    fail 74 "the disk under ${TMPDIR:-/tmp} (TMPDIR) is full"
  fi
  printf 'Building what is missing (log: %s) ...\n' "$log" >&2
  # In the background, so that a signal is acted on at once and not when the build is over.
  (cd "$SLUICE_HOME" && exec mvn -B -q "$@" -pl "$modules" -am package \
    -Dmaven.test.skip=true -Dspotless.check.skip=true -Dforbiddenapis.skip=true) >"$log" 2>&1 &
  local maven=$!
  trap 'stop_build $maven "$log" 130' INT
  trap 'stop_build $maven "$log" 143' TERM
  if ! wait "$maven"; then
    tail -n 30 "$log" >&2
    fail 70 "the build failed; its log is $log"
  fi
  trap - INT TERM
  rm -f "$log"
  mark_built "$modules" "$begun"
  printf 'Built in %d s.\n' "$((SECONDS - started))" >&2
}

# stop_build PID LOG CODE
stop_build() {
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
  rm -f "$2"
  printf 'stopped: the build\n' >&2
  exit "$3"
}

# is_built MODULES
is_built() {
  local module marker
  for module in ${1//,/ }; do
    marker=$SLUICE_HOME/$module/target/.built
    [ -e "$marker" ] && [ -z "$(newer_sources "$marker")" ] || return 1
  done
}

# mark_built MODULES TIME
mark_built() {
  local module
  for module in ${1//,/ }; do
    mkdir -p "$SLUICE_HOME/$module/target"
    touch -d "@$2" "$SLUICE_HOME/$module/target/.built"
  done
}

newer_sources() {
  find "$SLUICE_HOME" \( -name target -o -name .git \) -prune -o \
    \( -name pom.xml -o -path '*/src/main/*' \) -type f -newer "$1" -print -quit
}
