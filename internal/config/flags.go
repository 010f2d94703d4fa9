package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Flags are the settings of some processes as flags for kong.
type Flags struct {
	settings []Setting
	values   reflect.Value
}

// NewFlags makes the flags of the processes; each setting once.
func NewFlags(of ...Process) *Flags {
	f := &Flags{settings: Settings(of...)}
	var fields []reflect.StructField
	for i, s := range f.settings {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Setting%d", i), Type: reflect.TypeFor[string](),
			Tag: reflect.StructTag(fmt.Sprintf(`name:%q help:%q placeholder:%q group:"Settings"`, s.Flag, s.help(), placeholder(s))),
		})
	}
	f.values = reflect.New(reflect.StructOf(fields))
	return f
}

// Plugin is an element for kong.Plugins.
func (f *Flags) Plugin() any { return f.values.Interface() }

// Given are the flags that were on the command line, for Load.
func (f *Flags) Given() map[string]string {
	given := map[string]string{}
	for i, s := range f.settings {
		if text := f.values.Elem().Field(i).String(); text != "" {
			given[s.Flag] = text
		}
	}
	return given
}

func (s Setting) help() string {
	if s.Default == "" {
		return s.Meaning + " Also " + s.Name + "."
	}
	return fmt.Sprintf("%s Also %s; default %s.", s.Meaning, s.Name, s.Default)
}

func placeholder(s Setting) string {
	name := s.Flag[strings.LastIndex(s.Flag, "-")+1:]
	return strings.ToUpper(name)
}
