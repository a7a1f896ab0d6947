package backend

// Staging is a device with separate memory that copies messages to and from the host while kernels run. The copies run
// on a second stream. The comments of the methods say how they are ordered with the kernels.
type Staging interface {
	// Pin returns zeroed pinned (page-locked) memory of the host. Unpin frees it, given the whole slice.
	Pin(bytes int) ([]byte, error)
	Unpin(b []byte) error
	// StartDownload starts an asynchronous copy of src, on the device, to dst, which Pin returned. The copy begins when
	// all calls before it have finished. Later kernels run concurrently with it, and must not write to src until
	// WaitDownloads has returned.
	StartDownload(dst, src []byte) error
	// WaitDownloads waits for all copies that StartDownload has started, but not for kernels that were queued after them.
	WaitDownloads() error
	// StartUpload starts an asynchronous copy of src, which Pin returned, to dst on the device. The copy does not wait for
	// kernels that were queued after the last WaitDownloads; those must not use dst. All later calls wait for the copy.
	// src must not change until a later WaitDownloads or Sync has returned.
	StartUpload(dst, src []byte) error
}
