package launch

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// supported returns an error on systems where a rank could outlive its parent.
func supported() error { return nil }

// attributes make a rank the leader of its own process group, so that a terminal's signals do not reach it, and let
// the kernel kill it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the process has ended. It does not reap the process, so that the system cannot give its
// number to another process yet.
func awaitExit(pid int) {
	const byPID = 1 // P_PID of waitid(2)
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), 0,
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// killGroup kills the remaining processes, if any, in the process group of an unreaped process.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// unreadBytes returns the number of unread bytes in a pipe.
func unreadBytes(pipe *os.File) (int64, error) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var held uint32
	var failure error
	// TIOCINQ equals FIONREAD, which pipes support.
	err = conn.Control(func(fd uintptr) { held, failure = unix.IoctlGetUint32(int(fd), unix.TIOCINQ) })
	return int64(held), cmp.Or(err, failure)
}

// ownedByUser reports whether a file belongs to this user.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// lockDirectory locks a directory until it is closed, or returns an error if another process has locked it.
func lockDirectory(dir string) (*os.File, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
