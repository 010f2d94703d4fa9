// Package checks holds tests of the tree itself: what the house rules (docs/architecture.md, CONTRIBUTING.md) say
// and no linter sees. It has no code of its own; testreport, below it, reads the reports of a test run for CI.
package checks
