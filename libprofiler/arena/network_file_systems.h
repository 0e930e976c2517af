/* File systems that another host may change behind our back: mapped memory on them is torn, stalls
   or is refused, so no recording goes there. By the magic number of statfs(2); linux/magic.h. Known
   to the target and to the analysis: no dependencies. */
#ifndef ROOFMARK_ARENA_NETWORK_FILE_SYSTEMS_H
#define ROOFMARK_ARENA_NETWORK_FILE_SYSTEMS_H

/* X(magic, name). FUSE is here because what is behind it is not known. */
#define ROOFMARK_NETWORK_FILE_SYSTEMS(X) \
  X(0x6969, "NFS")                       \
  X(0x517B, "SMB")                       \
  X(0xFF534D42, "CIFS")                  \
  X(0xFE534D42, "SMB2")                  \
  X(0x73757245, "Coda")                  \
  X(0x5346414F, "AFS")                   \
  X(0x6B414653, "AFS")                   \
  X(0x01021997, "9p")                    \
  X(0x0BD00BD0, "Lustre")                \
  X(0x47504653, "GPFS")                  \
  X(0x00C36400, "Ceph")                  \
  X(0x65735546, "FUSE")                  \
  X(0x7461636F, "OCFS2")                 \
  X(0x01161970, "GFS2")                  \
  X(0x19830326, "BeeGFS")

#endif
