package canon

import (
	"strings"
)

// Suggest ends a sentence about a wrong name: with the nearest of the known names when one is near, else with
// all of them.
func Suggest(wrong string, known []string) string {
	if near := Nearest(wrong, known); near != "" {
		return "; did you mean " + Quote(near) + "?"
	}
	if len(known) == 0 {
		return "; nothing is known here."
	}
	quoted := make([]string, len(known))
	for i, k := range known {
		quoted[i] = Quote(k)
	}
	return "; use one of " + strings.Join(quoted, ", ") + "."
}

// Nearest is the known name that a person most likely meant, or "" when none is near: at most a third of its
// letters added, dropped, changed or swapped, letter case left aside.
func Nearest(wrong string, known []string) string {
	if len(wrong) > maxQuoted {
		return ""
	}
	best, least := "", 0
	for _, k := range known {
		d := distance(strings.ToLower(wrong), strings.ToLower(k))
		if d <= max(1, len(k)/3) && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of two short texts, by bytes.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func differ(x, y byte) int {
	if x == y {
		return 0
	}
	return 1
}
