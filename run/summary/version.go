package summary

import (
	"regexp"
	"strings"
)

// Release is the version of this source, by semantic versioning: the last one of CHANGELOG.md. A commit with the tag
// v0.1.0 is that release; others are on the way to the next one, or after it.
const Release = "0.1.0"

// pseudoVersion matches the version that Go gives a commit without a tag: the commit, and what follows.
var pseudoVersion = regexp.MustCompile(`-(?:[0-9a-z.]+\.)?\d{14}-([0-9a-f]{12})(\+[a-z.+]+)?$`)

// develVersion marks builds of commits that are no release.
const develVersion = "v" + Release + "-devel"

// commitLength is the number of digits of a commit in a version.
const commitLength = 12

// version returns the release, if its tag was built, or that on which a commit is based, with the commit, and "+dirty"
// if files were changed.
func (b *build) version() string {
	v := b.Main.Version
	if m := pseudoVersion.FindStringSubmatch(v); m != nil {
		return develVersion + "-" + m[1] + m[2]
	}
	if v != "" && v != "(devel)" {
		return v
	}
	commit := b.commit()
	if commit == "" {
		return develVersion
	}
	if b.setting("vcs.modified") == "true" {
		commit += "+dirty"
	}
	return develVersion + "-" + commit
}

// commit returns the first digits of the commit that was built; "" if it is not known.
func (b *build) commit() string {
	if m := pseudoVersion.FindStringSubmatch(b.Main.Version); m != nil {
		return m[1]
	}
	revision := b.setting("vcs.revision")
	return revision[:min(commitLength, len(revision))]
}

// Describe describes this build in a line: version, compiler and target, and the commit unless the version has it.
func Describe() string {
	v, commit := Version(), thisBuild().commit()
	text := v + " (" + Toolchain()
	if commit != "" && !strings.Contains(v, commit) {
		text += ", commit " + commit
	}
	return text + ")"
}
