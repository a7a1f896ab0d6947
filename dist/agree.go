package dist

import "context"

// FirstText returns the text of the lowest rank that passes a non-empty one, and that rank; -1 and "" if all pass
// "". It is a collective with the same result on all ranks. err is an error of the communication.
func FirstText(ctx context.Context, comm Comm, own string) (rank int, text string, err error) {
	texts, err := comm.Allgatherv(ctx, []byte(own))
	if err != nil {
		return -1, "", err
	}
	for r, t := range texts {
		if len(t) > 0 {
			return r, string(t), nil
		}
	}
	return -1, "", nil
}

// FirstError is FirstText with the text of each rank's error, "" for nil.
func FirstError(ctx context.Context, comm Comm, own error) (rank int, text string, err error) {
	if own != nil {
		text = own.Error()
	}
	return FirstText(ctx, comm, text)
}
