// Package jsbox runs the module of a genisys-plugin@1 file in a sandbox: QuickJS-NG, compiled to WebAssembly, on
// wazero. Each call has a fresh instance of the engine with a fresh realm, a time, a memory and no way out but the
// functions that its caller passes. docs/sandbox.md says what a module may do and how it is kept apart.
//
// An Engine compiles the engine once. Engine.Load checks a module and keeps an image of its memory as it is after its
// top level has run, from which Module.Call starts; a module whose top level asked for the clock or for random numbers
// is evaluated anew for each call.
//
// What the module and the harness in its realm say is not trusted: every limit is held on this side too.
package jsbox
