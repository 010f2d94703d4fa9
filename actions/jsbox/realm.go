package jsbox

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"pawl/actions/jsbox/harness"
)

//go:embed page/*.js
var page embed.FS

// moduleName is what stacks call the plugin's module; the harness knows it too.
const moduleName = "plugin.js"

// callID names the one call of a realm in the harness protocol.
const callID = "call"

// control are functions in a realm that only the host holds.
type control struct {
	// start, poll and resolve are the harness protocol; poll gives text.
	start, poll, resolve value
	// load takes a module's namespace and the names of its tools; describe says what was thrown; log adds a line.
	load, describe, log value
	// logs gives the lines so far.
	logs value
	// due and tick drive the timers of the page.
	due, tick value
}

// boot makes the realm from which all modules start: the language, what a page has beside it, and the harness.
func (e *Engine) boot(ctx context.Context) (*image, error) {
	v, err := e.instance(ctx, nil, &host{random: e.config.Random})
	if err != nil {
		return nil, err
	}
	defer v.close()
	if _, err := v.run("_initialize"); err != nil {
		return nil, err
	}
	if failed, err := v.run("qjs_init"); err != nil || failed != 0 {
		return nil, fmt.Errorf("%w: qjs_init gives %d: %w", errBroken, failed, err)
	}
	c, err := e.furnish(v)
	if err != nil {
		return nil, err
	}
	return wholeImage(v.mod.Memory(), c)
}

// furnish sets the limits of an instance and evaluates the page and the harness.
func (e *Engine) furnish(v *vm) (control, error) {
	var c control
	limits := []struct {
		set string
		to  uint64
	}{
		{"qjs_set_memory_limit", uint64(e.config.MemoryBytes)},
		{"qjs_set_max_stack_size", stackBytes},
		{"qjs_set_interrupt_handler", 1},
		{"qjs_set_module_loader", 1},
		{"qjs_set_promise_rejection_handler", 1},
	}
	for _, l := range limits {
		if _, err := v.step(l.set, l.to); err != nil {
			return c, err
		}
	}
	if err := v.giveRandom(); err != nil {
		return c, err
	}
	timers, err := v.page()
	if err != nil {
		return c, err
	}
	held, err := v.eval(harness.Script(), "harness.js", 0)
	if err != nil {
		return c, v.explain("harness.js", err)
	}
	members := []struct {
		of   value
		name string
		into *value
	}{
		{held, "start", &c.start},
		{held, "poll", &c.poll},
		{held, "resolve", &c.resolve},
		{held, "load", &c.load},
		{held, "describe", &c.describe},
		{held, "log", &c.log},
		{held, "logs", &c.logs},
		{timers, "due", &c.due},
		{timers, "tick", &c.tick},
	}
	for _, m := range members {
		if *m.into, err = v.property(m.of, m.name); err != nil {
			return c, v.explain(m.name, err)
		}
	}
	return c, v.collect()
}

// giveRandom makes the function that page/base.js takes over.
func (v *vm) giveRandom() error {
	global, err := v.result(v.step("qjs_get_global"))
	if err != nil {
		return err
	}
	_, err = v.with([]string{randomName, "__random"}, func(at []uint32) (value, error) {
		f, err := v.result(v.step("qjs_new_host_function", uint64(at[0]), uint64(len(randomName)), 1))
		if err != nil {
			return 0, err
		}
		_, err = v.run("qjs_set_prop_string", uint64(global), uint64(at[1]), uint64(f))
		return f, err
	})
	return err
}

// page evaluates what a browser's page has, and gives its timers.
func (v *vm) page() (timers value, err error) {
	for _, name := range []string{"base", "text", "params", "host", "url", "clone"} {
		code, err := page.ReadFile("page/" + name + ".js")
		if err != nil {
			return 0, err
		}
		got, err := v.eval(string(code), name+".js", 0)
		if err != nil {
			return 0, v.explain(name+".js", err)
		}
		if name == "base" {
			timers = got
		}
	}
	return timers, nil
}

// collect leaves no garbage in an image.
func (v *vm) collect() error {
	_, err := v.run("qjs_run_gc")
	return err
}

// explain says what our own JavaScript threw.
func (v *vm) explain(where string, err error) error {
	said := v.final(err)
	return fmt.Errorf("%s: %s %s: %w", where, said.Message, said.stack, err)
}

// close ends the instance and gives its memory back.
func (v *vm) close() { _ = v.mod.Close(v.quiet) }

// reply is a state of the harness protocol, with what the harness of ours adds. None of it is trusted.
type reply struct {
	State   string
	Request json.RawMessage
	Output  string
	Logs    []string
	Message string
	Reason  string
	Name    string
	Pointer string
	Line    int
	Column  int
	Fetch   int

	stack string
}

// ask calls a function of the harness with texts and reads the reply; nothing said is an empty reply.
func (v *vm) ask(f value, texts ...string) (reply, error) {
	args := make([]value, len(texts))
	for i, text := range texts {
		var err error
		if args[i], err = v.newString(text); err != nil {
			return reply{}, err
		}
	}
	return v.askValues(f, args...)
}

func (v *vm) askValues(f value, args ...value) (reply, error) {
	var said reply
	text, err := v.tell(f, args...)
	if err != nil || text == "" {
		return said, err
	}
	if json.Unmarshal([]byte(text), &said) != nil {
		said = reply{State: "error", Reason: "harness", Message: "The module broke the harness that runs it."}
	}
	return said, nil
}

// tell calls a function of the harness, which takes the arguments over, and gives the text that it returns.
func (v *vm) tell(f value, args ...value) (string, error) {
	got, err := v.invoke(f, args...)
	if err != nil {
		return "", err
	}
	text, err := v.text(got, maxReplyBytes)
	if err != nil {
		return "", err
	}
	for _, a := range append(args, got) {
		if err := v.free(a); err != nil {
			return "", err
		}
	}
	return text, nil
}

// final reads an exception that no JavaScript can catch, or that our own JavaScript threw.
func (v *vm) final(err error) reply {
	said := reply{State: "error", Reason: "threw"}
	t, ok := thrownBy(err)
	if !ok {
		return said
	}
	said.Message = v.member(t.value, "message")
	said.Name = v.member(t.value, "name")
	said.stack = v.member(t.value, "stack")
	said.Line, said.Column = position(said.stack)
	return said
}

// member reads a text of an error, "" where there is none.
func (v *vm) member(of value, name string) string {
	got, err := v.property(of, name)
	if err != nil {
		return ""
	}
	text, err := v.text(got, maxMessageBytes)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
