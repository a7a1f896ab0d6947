package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// storedEpoch returns the largest epoch that the files of a folder tell: epoch.json, run.json and the lock file. Any of
// them may be missing or damaged.
func storedEpoch(dir string) uint64 {
	e, _ := ReadEpoch(dir)
	epoch := e.Epoch
	if info, err := Read(dir); err == nil && info.Epoch <= maxEpoch {
		epoch = max(epoch, info.Epoch)
	}
	if text, err := os.ReadFile(lockPath(dir)); err == nil {
		if l := decodeFields(text); l.Epoch > epoch && l.Epoch <= maxEpoch {
			epoch = l.Epoch
		}
	}
	return epoch
}

// epochFinding is what the holder of a folder finds in epoch.json.
type epochFinding uint8

const (
	epochOwn      epochFinding = iota // as this process has stored it, or later by a hand that is no other run's
	epochDamaged                      // missing, unreadable, or an earlier epoch
	epochReplaced                     // another run has begun a later epoch
)

// judgeEpoch returns what the file's epoch, or the error of reading it, means to the process that has stored mine.
func judgeEpoch(mine, file Epoch, err error) epochFinding {
	switch {
	case err != nil, file.Epoch < mine.Epoch:
		return epochDamaged
	case file.Epoch > mine.Epoch && file.Holder != "" && file.Holder != mine.Holder:
		return epochReplaced
	}
	return epochOwn
}

// lookAtEpoch stores the epoch again if epoch.json was removed or damaged. It returns an error if another run has begun
// a later epoch.
func (k *keeper) lookAtEpoch() error {
	file, err := ReadEpoch(k.dir)
	switch judgeEpoch(*k.epoch, file, err) {
	case epochReplaced:
		return &ReplacedError{k.dir, file.By}
	case epochOwn:
		delete(k.told, epochFile)
		return nil
	}
	if err == nil {
		err = fmt.Errorf("it has epoch %d", file.Epoch)
	}
	path := filepath.Join(k.dir, epochFile)
	if failed := k.epoch.write(k.dir); failed != nil {
		k.tell(epochFile, fmt.Sprintf("%s was damaged (%v), and cannot be written again: %v", path, err, failed))
		return nil
	}
	k.notify(fmt.Sprintf("%s was damaged or removed (%v); written again with epoch %d", path, err, k.epoch.Epoch))
	return nil
}

// write stores the epoch.
func (e *Epoch) write(dir string) error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteDurably(filepath.Join(dir, epochFile), func(file *atomicfile.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// fenceState is the state of the fence file, as the launcher sees it between two epochs: nobody else locks it
// exclusively, which would keep all ranks from publishing.
//
//	from      to        when
//	free      blocked   another process has locked the file
//	blocked   free      the lock has gone, or it is still there at the next look: the file is replaced
type fenceState uint8

const (
	fenceFree fenceState = iota
	fenceBlocked
)

// fenceAction is what the launcher does about the fence file.
type fenceAction uint8

const (
	fenceKeep    fenceAction = iota
	fenceTell                // the file was removed, and there is another one now
	fenceReplace             // by a file that nobody has locked
)

// stepFence returns the next state of the fence file after a look: whether the file is still the same one, and whether
// ranks can lock it.
func stepFence(s fenceState, same, lockable bool) (fenceState, fenceAction) {
	switch {
	case !lockable && s == fenceBlocked:
		return fenceFree, fenceReplace
	case !lockable:
		return fenceBlocked, fenceKeep
	case !same:
		return fenceFree, fenceTell
	}
	return fenceFree, fenceKeep
}

// fenceWatch is what a keeper knows of the fence file.
type fenceWatch struct {
	state fenceState
	file  os.FileInfo // at the last look, nil before
}

// lookAtFence replaces a fence file that another process has locked, which would keep all ranks from publishing, and
// makes one that was removed again.
func (k *keeper) lookAtFence() {
	path := filepath.Join(k.dir, fenceFile)
	there, missing := os.Stat(path)
	same := missing == nil && (k.fence.file == nil || os.SameFile(k.fence.file, there))
	lock := flock.New(path)
	locked, err := tryRLock(lock) // makes the file if it is missing
	_ = lock.Close()
	if err != nil && !withoutLocks(err) {
		k.tell(fenceFile, err.Error())
		return
	}
	delete(k.told, fenceFile)
	var action fenceAction
	switch k.fence.state, action = stepFence(k.fence.state, same, locked || err != nil); action {
	case fenceTell:
		k.notify(fmt.Sprintf("%s was removed; made again", path))
	case fenceReplace:
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			k.tell(fenceFile, err.Error())
			return
		}
		lock := flock.New(path)
		_, _ = tryRLock(lock) // makes the file
		_ = lock.Close()
		k.notify(fmt.Sprintf("%s was locked by a process that is not of this run, so that no rank could write; replaced",
			path))
	}
	if there, err := os.Stat(path); err == nil {
		k.fence.file = there
	}
}
