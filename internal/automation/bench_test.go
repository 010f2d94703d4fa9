package automation_test

import (
	"fmt"
	"strings"
	"testing"

	"pawl/internal/automation"
)

// thousand is a document of 1,000 steps, each of which refers to the one before.
func thousand() string {
	parts := make([]string, 1000)
	for i := range parts {
		value := "{{ inputs.x }}"
		if i > 0 {
			value = fmt.Sprintf("{{ steps.s%d.output + 1 }}", i-1)
		}
		parts[i] = set(fmt.Sprintf("s%d", i), value)
	}
	return steps(strings.Join(parts, ","))
}

func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{"every_type": full, "1000_steps": thousand()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, problems := automation.Decode([]byte(text)); len(problems) > 0 {
					b.Fatal(problems)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{"every_type": full, "1000_steps": thousand()} {
		b.Run(name, func(b *testing.B) {
			doc := decode(b, text)
			b.ReportAllocs()
			for b.Loop() {
				automation.Check(doc, environment())
			}
		})
	}
}
