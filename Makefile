# Tabernetes. `make run` and `make test` are all that is needed; both set the machine up.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PORT ?= 8080

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

setup: ## install what the build and the tests need (apt, npm, Go modules)
	@scripts/setup

build: setup ## build page and wasm into out/site
	@scripts/build

run: build ## build, serve the page and print its address
	@go run ./scripts/serve --port $(PORT) out/site

serve: build ## like run, and a hub for kubectl: the page can be reached from this machine's programs
	@go build -o out/ ./nodehost ./nodehost/cni/tabernetes-cni
	@out/nodehost serve --listen 127.0.0.1:$(PORT)

headless: build ## an ephemeral cluster in headless Chromium (NATIVE=1: without): "ready", out/kubeconfig, until SIGINT
	@scripts/headless $(if $(NATIVE),--native)

conformance: ## Kubernetes' own suite through the hub, [FOCUS=regexp] [TARGET=native|tab|real|real-tab] [AGAIN=failed|all] [SHARD=n] [WORKERS=n]; docs/conformance.md
	@go run ./scripts/conformance -target "$(or $(TARGET),tab)" -focus "$(FOCUS)" -again "$(AGAIN)" $(if $(SHARD),-shard $(SHARD)) $(if $(WORKERS),-workers $(WORKERS))

test: setup ## every test, those in Chromium included
	@scripts/test

test-long: setup ## soaks, long faults and big counts, too
	@scripts/test --long

quick: ## what a change is checked with meanwhile: no root, no browser; under two minutes once warm
	@scripts/quick

check: setup ## formatting, vet, lint and type checks only
	@scripts/check

publish: setup ## the site for any static host, into out/publish (BROTLI=5: quicker, a fifth larger; AT=https://ADDRESS/: links to it have a picture); docs/embedding.md
	@scripts/publish

bench: build ## print the figures of the budgets (docs/architecture.md) as `name value unit`
	@scripts/bench
	@scripts/bench-hub
	@scripts/bench-store
	@scripts/bench-network
	@scripts/bench-crowd

bench-node: build ## a real node's figures: on the tab beside the same on the native core; pods' throughput
	@scripts/bench-node

size: build ## print the sizes of what is transferred as `name value unit`
	@scripts/size

profile: build ## where the time of a start goes, by V8's profiler (NAMES=1 links Go's names in)
	@scripts/profile

screenshots: setup ## pictures of every view in both themes, desktop and phone, into out/screenshots
	@node scripts/e2e/run.mjs views views-quality

frames: build ## how smoothly the page draws while 300 pods start, and with 10,000
	@npx --no-install vite build --mode fake --logLevel warn
	@mkdir -p out/e2e && go build -o out/e2e/serve ./scripts/serve
	@node scripts/e2e/frames.mjs

clean: ## remove everything that was built
	rm -rf out node_modules

.PHONY: help setup build run serve headless conformance test test-long quick check publish bench bench-node size profile screenshots frames clean
