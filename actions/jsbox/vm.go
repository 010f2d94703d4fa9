package jsbox

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// value is a JavaScript value, as an address in the memory of its instance.
type value uint32

// evalModule is the flag of qjs_eval for an ES module; without it the text is a script.
const evalModule = 1

// vm is one instance of the engine. One goroutine uses it at a time.
type vm struct {
	mod  api.Module
	host *host
	// ctx ends with the call's time: for whatever may run JavaScript or a long loop. It carries the host.
	ctx context.Context
	// quiet carries the host and never ends: for steps that are over at once, which then need no watcher.
	quiet context.Context
	funcs map[string]api.Function
	cells [8]uint64
}

// Why a step of the engine failed, beside what JavaScript throws.
var (
	errNoMemory = errors.New("the instance has no memory left")
	errBroken   = errors.New("the engine stopped")
)

// thrown is an exception that came out of the engine.
type thrown struct {
	value value
	// final says that no JavaScript can catch it: the call was stopped or has no memory left.
	final bool
}

func (*thrown) Error() string { return "an exception of JavaScript" }

// run calls a function of the engine that may run JavaScript.
func (v *vm) run(name string, args ...uint64) (uint64, error) { return v.call(v.ctx, name, args) }

// step calls a function of the engine that is over at once.
func (v *vm) step(name string, args ...uint64) (uint64, error) { return v.call(v.quiet, name, args) }

func (v *vm) call(ctx context.Context, name string, args []uint64) (uint64, error) {
	f := v.funcs[name]
	if f == nil {
		f = v.mod.ExportedFunction(name)
		if v.funcs != nil {
			v.funcs[name] = f
		}
	}
	clear(v.cells[:]) // a result of 32 bits leaves the upper half of its cell as it was
	cells := v.cells[:max(len(args), 1)]
	copy(cells, args)
	if err := f.CallWithStack(ctx, cells); err != nil {
		return 0, fmt.Errorf("%w: %s: %w", errBroken, name, err)
	}
	return cells[0], nil
}

// result takes the value that a function gave, or the exception behind it.
func (v *vm) result(cell uint64, err error) (value, error) {
	if err != nil {
		return 0, err
	}
	if cell == 0 {
		return 0, errNoMemory
	}
	is, err := v.step("qjs_is_exception", cell)
	if err != nil {
		return 0, err
	}
	if is != 0 {
		return 0, v.exception()
	}
	return value(cell), nil
}

// exception takes the exception that is pending.
func (v *vm) exception() error {
	cell, err := v.step("qjs_get_exception")
	if err != nil {
		return err
	}
	if cell == 0 {
		return errNoMemory
	}
	final, err := v.step("qjs_is_uncatchable_error", cell)
	if err != nil {
		return err
	}
	return &thrown{value: value(cell), final: final != 0}
}

// put copies text into the instance, with a zero byte behind it.
func (v *vm) put(text []byte) (uint32, error) {
	at, err := v.step("wasm_malloc", uint64(len(text))+1)
	if err != nil {
		return 0, err
	}
	m := v.mod.Memory()
	if at == 0 || !m.Write(uint32(at), text) || !m.WriteByte(uint32(at)+uint32(len(text)), 0) {
		return 0, errNoMemory
	}
	return uint32(at), nil
}

// with puts texts into the instance for the time of one function.
func (v *vm) with(texts []string, use func(at []uint32) (value, error)) (value, error) {
	at := make([]uint32, len(texts))
	for i, text := range texts {
		var err error
		if at[i], err = v.put([]byte(text)); err != nil {
			return 0, err
		}
	}
	got, err := use(at)
	if errors.Is(err, errBroken) {
		return 0, err
	}
	for _, a := range at {
		if _, free := v.step("wasm_free", uint64(a)); free != nil {
			return 0, free
		}
	}
	return got, err
}

// eval evaluates a script or, with evalModule, a module: then the value is the promise of its namespace.
func (v *vm) eval(code, name string, flags uint64) (value, error) {
	return v.with([]string{code, name}, func(at []uint32) (value, error) {
		return v.result(v.run("qjs_eval", uint64(at[0]), uint64(len(code)), uint64(at[1]), flags))
	})
}

func (v *vm) newString(text string) (value, error) {
	return v.with([]string{text}, func(at []uint32) (value, error) {
		return v.result(v.step("qjs_new_string", uint64(at[0]), uint64(len(text))))
	})
}

func (v *vm) newBytes(b []byte) (value, error) {
	return v.with([]string{string(b)}, func(at []uint32) (value, error) {
		return v.result(v.step("qjs_new_uint8_array", uint64(at[0]), uint64(len(b))))
	})
}

func (v *vm) number(of value) (float64, error) {
	is, err := v.step("qjs_is_number", uint64(of))
	if err != nil || is == 0 {
		return math.NaN(), err
	}
	cell, err := v.step("qjs_get_float64", uint64(of))
	return api.DecodeF64(cell), err
}

// throw throws an Error with a message, for a host function that then gives 0.
func (v *vm) throw(message string) error {
	text, err := v.newString(message)
	if err != nil {
		return err
	}
	_, err = v.with([]string{"message"}, func(at []uint32) (value, error) {
		made, err := v.result(v.step("qjs_new_error"))
		if err != nil {
			return 0, err
		}
		if _, err := v.step("qjs_set_prop_string", uint64(made), uint64(at[0]), uint64(text)); err != nil {
			return 0, err
		}
		_, err = v.step("qjs_throw", uint64(made))
		return made, err
	})
	return err
}

// identity is the same for two handles of one object.
func (v *vm) identity(of value) uint64 {
	at, err := v.step("qjs_get_value_ptr", uint64(of))
	if err != nil {
		return 0
	}
	return at
}

// property reads a member by a name of ours. It may run JavaScript.
func (v *vm) property(of value, name string) (value, error) {
	return v.with([]string{name}, func(at []uint32) (value, error) {
		return v.result(v.run("qjs_get_prop_string", uint64(of), uint64(at[0])))
	})
}

// text gives a string's UTF-8, at most most bytes; "" for a value that is none.
func (v *vm) text(of value, most uint32) (string, error) {
	is, err := v.step("qjs_is_string", uint64(of))
	if err != nil || is == 0 {
		return "", err
	}
	length, err := v.step("wasm_malloc", 4)
	if err != nil {
		return "", err
	}
	at, err := v.step("qjs_get_string_len", uint64(of), length)
	if err != nil {
		return "", err
	}
	if length == 0 || at == 0 {
		return "", errNoMemory
	}
	n, ok := v.mod.Memory().ReadUint32Le(uint32(length))
	bytes, ok2 := v.mod.Memory().Read(uint32(at), min(n, most))
	if !ok || !ok2 {
		return "", errNoMemory
	}
	text := string(bytes)
	if _, err := v.step("qjs_free_cstring", at); err != nil {
		return "", err
	}
	_, err = v.step("wasm_free", length)
	return text, err
}

// invoke calls a function with values.
func (v *vm) invoke(f value, args ...value) (value, error) {
	this, err := v.result(v.step("qjs_get_undefined"))
	if err != nil {
		return 0, err
	}
	list, err := v.step("wasm_malloc", uint64(4*len(args)+4))
	if err != nil {
		return 0, err
	}
	for i, a := range args {
		if list == 0 || !v.mod.Memory().WriteUint32Le(uint32(list)+uint32(4*i), uint32(a)) {
			return 0, errNoMemory
		}
	}
	got, err := v.result(v.run("qjs_call", uint64(f), uint64(this), uint64(len(args)), list))
	if err != nil {
		return 0, err
	}
	_, err = v.step("wasm_free", list)
	return got, err
}

func (v *vm) free(of value) error {
	_, err := v.step("qjs_free_value", uint64(of))
	return err
}
