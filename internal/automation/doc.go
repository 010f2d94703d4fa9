// Package automation is the document of an automation, pawl-automation@1: its types, its strict reading, its
// canonical form, the checks that can be made before a run, and the positions of its steps.
//
// It knows neither expressions nor actions: Check is given what compiles the ones and looks up the others, so that
// the walk (package workflows) can import this package without reaching either.
package automation
