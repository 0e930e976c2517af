#!/usr/bin/env bash
# usage: cross_kernels_test.sh GENERATOR SOURCE
# Assembles the kernels of the other architectures and runs them under QEMU, as far as the tools are there.
# Exit 77: nothing could be done.
set -u
generator=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ran=0 failed=0

first_of() { for name in "$@"; do command -v "$name" && return; done; return 1; }

# architecture, flags of the compiler, vector lengths to run under QEMU
check() {
  local architecture=$1 flags=$2 define=$3; shift 3
  "$generator" "$architecture" "$folder/k.S" "$folder/k.cpp" || { echo "FAILED: generator $architecture"; failed=1; return; }
  local compiler
  if compiler=$(first_of "$architecture-linux-gnu-gcc"); then
    compiler="$compiler -static"
  elif compiler=$(first_of clang clang-14 clang-18) && first_of ld.lld ld.lld-14 ld.lld-18 > /dev/null; then
    compiler="$compiler --target=$architecture-linux-gnu -fuse-ld=lld -static"
  else
    echo "skipped: no cross compiler for $architecture"; return
  fi
  # shellcheck disable=SC2086
  if ! $compiler $flags -O1 -ffreestanding -nostdlib -fno-stack-protector -fno-builtin -DVECTOR -D"$define" "$folder/k.S" "$source" -o "$folder/k" 2> "$folder/log"; then
    echo "FAILED: $architecture does not assemble"; head -5 "$folder/log"; failed=1; return
  fi
  local qemu
  qemu=$(first_of "qemu-$architecture" "qemu-$architecture-static") || { echo "assembled but not run: no qemu-$architecture"; ran=1; return; }
  local cpu
  for cpu in "$@"; do
    timeout 60 "$qemu" -cpu "$cpu" "$folder/k"
    local status=$?
    if [ "$status" -eq 0 ]; then echo "$architecture under $cpu: all kernels right"; ran=1
    else echo "FAILED: $architecture under $cpu: check $status"; failed=1; fi
  done
}

check aarch64 "-march=armv8.2-a+sve" ARCH_AARCH64 max,sve128=on max,sve512=on max,sve-max-vq=16
check riscv64 "-march=rv64gcv -mabi=lp64d -mno-relax" ARCH_RISCV64 rv64,v=true,vlen=128 rv64,v=true,vlen=512

[ "$failed" -ne 0 ] && exit 1
[ "$ran" -eq 0 ] && exit 77
exit 0
