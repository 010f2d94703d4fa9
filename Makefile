# `make help` explains the targets. Two of them do all the set-up on a fresh machine: `make run` and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

DATA     ?= data
LISTEN   ?= 127.0.0.1:8080
BENCH    ?=
PKGS     ?= ./...
# The long suites: for how long each fuzz target, each disturbance, and the steady load run; PART=text takes the parts whose
# name holds it, RECORD=1 writes the results into docs/testing.md.
FUZZTIME  ?= 45s
CHAOSTIME ?= 90s
SOAKTIME  ?= 15m
PART      ?=
RECORD    ?=
# Where the test runs leave their reports, for .ci/run to read.
REPORTS  ?= .cache/reports

TOOL     := go tool -modfile=.ci/tools/go.mod
GO_FILES  = $(shell git ls-files --cached --others --exclude-standard '*.go')
UI_FILES  = $(shell find ui \( -name node_modules -o -path ui/dist -o -path ui/e2e \) -prune -o -type f ! -name '*.go' -print)
# All tests of a run share one throw-away PostgreSQL, unless PAWL_TEST_DATABASE_URL names one.
WITH_DB  := go run ./internal/store/storetest/withpostgres
GO_TEST  := $(WITH_DB) $(TOOL) gotestsum --format pkgname-and-test-fails
SUITE    := go run ./internal/suites -only "$(PART)" $(if $(RECORD),-record docs/testing.md)
BINARIES := PAWL_LOCAL_BIN="$(CURDIR)/bin/pawl-local" PAWL_BIN="$(CURDIR)/bin/pawl"
# A test may take its time on a slow machine; a hang must end.
TIMEOUT  := 15m

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  DATA=$(DATA) LISTEN=$(LISTEN) PKGS=$(PKGS) BENCH=name FUZZTIME=$(FUZZTIME) CHAOSTIME=$(CHAOSTIME) SOAKTIME=$(SOAKTIME) PART=text RECORD=1"
	@echo "  can be given to the targets."

##—— Run ——

.PHONY: run
run: setup-run build ## build and start the whole product with the demo; prints its address
	exec bin/pawl-local --data "$(DATA)" --listen "$(LISTEN)" --demo

.PHONY: build
build: ui go-build ## build the UI and both binaries into bin/

# The JavaScript engine of the sandbox is never committed: npm brings it by a lock file, and take.mjs checks its digest.
QUICKJS := actions/jsbox/wasm/dist/quickjs.wasm

.PHONY: sandbox
sandbox: $(QUICKJS) ## bring the JavaScript engine of the sandbox, from where the binaries embed it

$(QUICKJS): actions/jsbox/wasm/package.json actions/jsbox/wasm/package-lock.json actions/jsbox/wasm/take.mjs
	npm --prefix actions/jsbox/wasm ci --ignore-scripts --no-audit --no-fund
	node actions/jsbox/wasm/take.mjs

# Without -trimpath, so that binaries and tests share what the cache has of the Temporal server.
.PHONY: go-build
go-build: $(QUICKJS) ## build the binaries with whatever UI is in ui/dist
	go build -buildvcs=false -ldflags '-s -w' -o bin/ ./cmd/pawl ./cmd/pawl-local

.PHONY: ui
ui: ui/dist/index.html ## build the UI into ui/dist, from where the binaries embed it

ui/node_modules/.stamp: ui/package.json ui/package-lock.json
	npm --prefix ui ci --no-audit --no-fund
	@mkdir -p $(@D) && touch $@

ui/dist/index.html: ui/node_modules/.stamp $(UI_FILES)
	npm --prefix ui run build
	touch $@ ui/dist/.gitkeep

.PHONY: setup
setup: ## check, and where apt can, install what the tests need: Go, Node, PostgreSQL, Chromium
	.ci/setup go node postgres chromium

.PHONY: setup-run
setup-run:
	.ci/setup go node postgres

##—— Test ——

.PHONY: test
test: setup build test-go test-ui test-e2e ## run all tests: Go, workflow replay, database, UI, browser

.PHONY: test-go
test-go: go-build ## run the Go tests, workflow replay and database included
	@mkdir -p $(REPORTS)
	$(BINARIES) $(GO_TEST) --jsonfile $(REPORTS)/go.json -- -timeout $(TIMEOUT) $(PKGS)

.PHONY: test-ui
test-ui: ui/node_modules/.stamp ## run the unit tests of the UI
	@mkdir -p $(REPORTS)
	npm --prefix ui test -- --reporter=default --reporter=json --outputFile.json="$(abspath $(REPORTS))/ui.json"

.PHONY: test-e2e
test-e2e: build ## run the browser tests against bin/pawl-local
	@mkdir -p $(REPORTS)
	PAWL_LOCAL_BIN="$(CURDIR)/bin/pawl-local" npm --prefix ui run e2e -- \
	  --reporter=default --reporter=json --outputFile.json="$(abspath $(REPORTS))/e2e.json"

.PHONY: race
race: $(QUICKJS) ## run the Go tests under the race detector, but for the packages that carry the Temporal server
	$(WITH_DB) go test -race -timeout $(TIMEOUT) $$(go list -test -f '{{if not .ForTest}}{{.ImportPath}} {{join .Deps " "}}{{end}}' $(PKGS) \
	  | grep -v 'go.temporal.io/server' | awk '$$1 ~ /\.test$$/ { sub(/\.test$$/, "", $$1); print $$1 }')

.PHONY: fuzz
fuzz: $(QUICKJS) ## fuzz every decoder and parser for FUZZTIME each (docs/testing.md)
	$(SUITE) -time $(FUZZTIME) fuzz

.PHONY: chaos
chaos: go-build ## kill, cut, withdraw and delete under load, each for CHAOSTIME; nothing may be lost or doubled
	$(BINARIES) $(WITH_DB) $(SUITE) -time $(CHAOSTIME) chaos

.PHONY: soak
soak: $(QUICKJS) ## run under steady load for SOAKTIME and watch memory and the database
	$(WITH_DB) $(SUITE) -time $(SOAKTIME) soak

.PHONY: bench
bench: $(QUICKJS) ## measure; BENCH=name runs one benchmark
	go run ./internal/bench -bench "$(BENCH)"

##—— Check ——

.PHONY: check
check: fmt-check lint workflowcheck ui-lint ## format, vet, lint, import rules, determinism of the workflows

.PHONY: fmt
fmt: ## format the Go files
	$(TOOL) gofumpt -w $(GO_FILES)

.PHONY: fmt-check
fmt-check:
	@out=$$($(TOOL) gofumpt -l $(GO_FILES)); if [ -n "$$out" ]; then \
	  printf 'These files want `make fmt`:\n%s\n' "$$out"; exit 1; fi

# govet is one of the linters; .golangci.yml has them all, and the import rules.
.PHONY: lint
lint:
	$(TOOL) golangci-lint run ./...

.PHONY: ui-lint
ui-lint: ui/node_modules/.stamp
	npm --prefix ui run lint

.PHONY: workflowcheck
workflowcheck:
	$(TOOL) workflowcheck ./workflows/...

.PHONY: prove-rules
prove-rules: ## break each import rule on purpose in a copy, and see that the linter says so
	.ci/prove-rules

.PHONY: clean
clean: ## remove what builds leave behind; DATA stays
	rm -rf bin .cache ui/node_modules actions/jsbox/wasm/node_modules
	git clean -fdXq ui/dist actions/jsbox/wasm/dist
