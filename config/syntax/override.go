package syntax

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/atoll-hpc/atoll/config/literal"
)

// CutSet splits an override at the first equals sign outside quotes.
func CutSet(set string) (key, value string, ok bool) {
	var quote rune
	for i, r := range set {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '=':
			return strings.TrimSpace(set[:i]), strings.TrimSpace(set[i+1:]), true
		}
	}
	return "", "", false
}

// ParseKey splits a dotted key, such as boundary."east coast", into its parts.
func ParseKey(key string) ([]string, error) {
	var p unstable.Parser
	p.Reset([]byte(key + " = 0"))
	var keys []string
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind != unstable.KeyValue || keys != nil {
			return nil, fmt.Errorf("not one key")
		}
		for k := n.Key(); k.Next(); {
			keys = append(keys, string(k.Node().Data))
		}
	}
	if p.Error() == nil && keys == nil {
		return nil, fmt.Errorf("no key")
	}
	return keys, p.Error()
}

// ParseValue reads a TOML value, or takes the text as a string if it is not TOML.
func ParseValue(text string) (any, error) {
	var doc map[string]any
	err := toml.Unmarshal([]byte("value = "+text), &doc)
	if err == nil && len(doc) == 1 {
		return doc["value"], nil
	}
	if err != nil && text != "" && strings.ContainsRune(`"'[{`, rune(text[0])) {
		return nil, fmt.Errorf("%s: %s", text, strings.TrimPrefix(err.Error(), "toml: "))
	}
	err = toml.Unmarshal([]byte("value = "+literal.Text(text)), &doc)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid text: %s", text, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return doc["value"], nil
}
