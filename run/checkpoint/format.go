package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
)

// Format is the version of the file format. Later versions of the program read it, or return an error that names it.
const Format = 1

const (
	headerMagic, footerMagic = "ATOLLCKP", "ATOLLEND"
	headerSize, footerSize   = 16, 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Info is the metadata of a checkpoint.
type Info struct {
	Format         int               `json:"format"`
	Solver         string            `json:"solver"`
	Case           string            `json:"case"`
	StepKeysSHA256 string            `json:"steps_sha256"`     // StepKeysHash of the case
	Inputs         map[string]string `json:"inputs,omitempty"` // SHA-256 of the input files of the case
	Version        string            `json:"version"`          // of the program
	Ranks          int               `json:"ranks"`
	Time           number            `json:"time"` // s, or sweeps
	Steps          int               `json:"steps"`
	Dt             number            `json:"dt"` // of the last step
	Scalars        map[string]number `json:"scalars"`
	StateSHA256    string            `json:"state_sha256"`
	HashVersion    int               `json:"hash_version"`
	Run            json.RawMessage   `json:"run,omitempty"`   // progress of the output; see package run
	Files          ledger.Files      `json:"files,omitempty"` // the output up to this state
}

// Clock returns the time of the state.
func (i *Info) Clock() solvers.Clock {
	return solvers.Clock{Time: float64(i.Time), Steps: i.Steps, Dt: float64(i.Dt)}
}

// ScalarValues returns the scalars of the solver.
func (i *Info) ScalarValues() map[string]float64 {
	values := make(map[string]float64, len(i.Scalars))
	for name, v := range i.Scalars {
		values[name] = float64(v)
	}
	return values
}

// number is encoded in JSON with all its digits; infinities and NaN are encoded as strings.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		text = strconv.Quote(text)
	}
	return []byte(text), nil
}

func (n *number) UnmarshalJSON(text []byte) error {
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*n = number(v)
	return err
}

// index follows the blobs; it locates them.
type index struct {
	Seal string `json:"seal"` // SHA-256 of all that follows in the index
	Info
	Spaces []space `json:"spaces"`
	Blocks []block `json:"blocks"`
}

type space struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`
}

type field struct {
	Name   string `json:"name"`
	Size   int    `json:"size"` // bytes per entity
	Hashed bool   `json:"hashed,omitempty"`
}

// block is a part of the entities of a space on one rank.
type block struct {
	Space  int    `json:"space"`
	Count  int    `json:"count"`
	Least  int64  `json:"least"` // range of its keys
	Most   int64  `json:"most"`
	Keys   blob   `json:"keys"`
	Fields []blob `json:"fields"`
}

// blob is a range of bytes of the file with its checksum.
type blob struct {
	Offset int64  `json:"at"`
	Len    int64  `json:"len"`
	CRC    uint32 `json:"crc32c"`
}

// sealStart and sealSize locate the seal in the text of an index, in which it is first.
const (
	sealStart = len(`{"seal":"`)
	sealSize  = 2 * sha256.Size
)

// encode returns the text of an index, with its seal.
func (x *index) encode() ([]byte, error) {
	x.Seal = strings.Repeat("0", sealSize)
	text, err := json.Marshal(x)
	if err == nil {
		sum := sha256.Sum256(text[sealStart+sealSize:])
		hex.Encode(text[sealStart:], sum[:])
	}
	return text, err
}

// checkSeal returns an error if somebody has changed the text of an index since it was sealed. Unlike the checksum, the
// seal also detects changes by those who know the format and compute the checksum again.
func (x *index) checkSeal(text []byte) error {
	if rest := sealStart + sealSize; len(text) > rest && string(text[sealStart:rest]) == x.Seal {
		if sum := sha256.Sum256(text[rest:]); hex.EncodeToString(sum[:]) == x.Seal {
			return nil
		}
	}
	return errors.New("the index is not the one that was written")
}

// header returns the header of a file.
func header() []byte {
	b := append(make([]byte, 0, headerSize), headerMagic...)
	b = binary.LittleEndian.AppendUint32(b, Format)
	return binary.LittleEndian.AppendUint32(b, 0)
}

// footer returns the footer of a file whose index begins at indexOffset.
func footer(indexOffset int64, index []byte) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, footerSize), uint64(indexOffset))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(index)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(index, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, Format)
	return append(b, footerMagic...)
}

// FormatError is the error of a file whose format this program does not read.
type FormatError struct {
	Path   string
	Format uint32
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s is a checkpoint of format %d; this program reads format %d: use the version that wrote it",
		e.Path, e.Format, Format)
}
