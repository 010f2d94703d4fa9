package httpcall

import "pawl/actions"

// nearest gives the declared input whose id is closest to name, or "" when none is close enough to be meant.
func nearest(name string, inputs []actions.Input) string {
	best, distance := "", len(name)/2+1
	for i := range inputs {
		if d := editDistance(name, inputs[i].ID); d < distance {
			best, distance = inputs[i].ID, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and replacements of bytes (Levenshtein); names longer than 64 are
// never close.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	var row [65]int
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
