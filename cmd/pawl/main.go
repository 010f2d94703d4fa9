// Command pawl is the whole of Pawl but for the laptop edition: the server, the worker, the migration, and the
// client commands that talk to a server (docs/commands.md).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"pawl/internal/config"
)

// The exit codes that scripts rely on.
const (
	exitDone    = 0
	exitRefused = 1 // refused by the server, or failed
	exitUsage   = 2
)

// commands is the whole command line.
type commands struct {
	URL     string `name:"url" env:"PAWL_URL" default:"http://127.0.0.1:8080" help:"Address of the server."`
	Key     string `env:"PAWL_KEY" help:"API key; other users of this machine can see what stands on a command line."`
	Project string `env:"PAWL_PROJECT" default:"default" help:"The project to work in."`
	JSON    bool   `name:"json" help:"Print what the server answers, as JSON."`
	Yes     bool   `short:"y" help:"Don't ask for confirmation; needed when standard input is not a terminal."`

	Plugin     pluginCommands     `cmd:"" help:"Plugins: apps, tools and skills, and their stages."`
	Account    accountCommands    `cmd:"" help:"Accounts: keys that the project holds for connections."`
	Grant      grantCommands      `cmd:"" help:"Standing grants of the project."`
	Skill      skillCommands      `cmd:"" help:"Skills of plugins: instructions for agents."`
	Approval   approvalCommands   `cmd:"" help:"Calls of agents that wait for a person."`
	Automation automationCommands `cmd:"" help:"Automations: drafts and published versions."`
	Run        runCommands        `cmd:"" help:"Runs of automations."`
	Catalog    catalogCommand     `cmd:"" help:"The actions that steps can name."`
	KeyCmd     keyCommands        `cmd:"" name:"key" help:"Your API keys."`
	ProjectCmd projectCommands    `cmd:"" name:"project" help:"Projects."`
	Audit      auditCommand       `cmd:"" help:"Who changed what."`
	Doctor     doctorCommand      `cmd:"" help:"Check that the server can be reached and that the key works."`

	Serve   serveCommand   `cmd:"" help:"Serve the API and the pages."`
	Worker  workerCommand  `cmd:"" help:"Carry out runs."`
	Vault   vaultCommands  `cmd:"" help:"The key that opens the saved keys of accounts."`
	Migrate migrateCommand `cmd:"" help:"Bring the database's schema up to date."`
	Config  configCommand  `cmd:"" help:"The settings, with secrets hidden."`
}

// newCommands prepares the commands that take settings as flags.
func newCommands() *commands {
	return &commands{
		Serve:   serveCommand{settingsOf(config.Serve)},
		Worker:  workerCommand{settingsOf(config.Worker)},
		Migrate: migrateCommand{settings: settingsOf(config.Migrate)},
		Config:  configCommand{settings: settingsOf(config.Local)},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], environment{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv})
	stop()
	os.Exit(code)
}

// run is the program without its process: the arguments behind the program's name, and its surroundings.
func run(ctx context.Context, args []string, e environment) int {
	c := newCommands()
	exited := -1
	out := &output{to: e.out}
	e.out = out
	parser, err := kong.New(c, kong.Name("pawl"), kong.Description("Workflow automation whose steps happen once, in order, and stay."),
		kong.Writers(e.out, e.err), kong.Exit(func(code int) { exited = code; panic(stopped{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintln(e.err, "pawl:", err)
		return exitUsage
	}
	k, err := parse(parser, args)
	s := newSession(ctx, c, e)
	if lost := out.failure(); exited >= 0 || lost != nil { // --help
		return s.end(max(exited, exitDone), lost)
	}
	if err != nil {
		fmt.Fprintln(e.err, "pawl:", err)
		usage(e.err, err)
		return exitUsage
	}
	code := s.end(exitDone, k.Run(s))
	return s.end(code, out.failure())
}

// stopped unwinds kong when it has printed the help.
type stopped struct{}

func parse(parser *kong.Kong, args []string) (k *kong.Context, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			if _, ok := cause.(stopped); !ok {
				panic(cause)
			}
		}
	}()
	return parser.Parse(args)
}

// usage says where the help is.
func usage(w io.Writer, err error) {
	command := "pawl"
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil {
		command = p.Context.Selected().FullPath()
	}
	fmt.Fprintf(w, "See: %s --help\n", command)
}
