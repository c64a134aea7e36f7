# repair-bench with Qiskit, PennyLane, Cirq and litellm, as a user without privileges.
#
#     docker build -t repair-bench .
#     mkdir -p runs
#     docker run --rm --security-opt seccomp=unconfined --user "$(id -u):$(id -g)" -v "$PWD/runs:/repair-bench/runs" \
#       repair-bench run --max-attempts 5
#
# Docker's own filter of system calls forbids namespaces, a layer of the sandbox; docs/install.md has the details. The
# stage `test` has the development tools, too: `docker build --target test -t repair-bench-test .`, then `make test` and
# the other targets of the Makefile run in it. Everything is installed from the hashed lock files.
FROM python:3.11-slim-bookworm@sha256:fe556eaffd0d96abd8685b83bb8a69addd0dc730fa193669a7df0d49ddcfac02 AS base
ENV LANG=C.UTF-8 PATH="/repair-bench/.venv/bin:$PATH"
WORKDIR /repair-bench

FROM base AS build
COPY requirements.lock ./
RUN python -m venv .venv && .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
# the setuptools of the base image builds the wheel, so that nothing without a hash is downloaded
RUN python -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir build/wheel . \
  && .venv/bin/python -m pip install --no-index --no-deps build/wheel/*.whl

FROM build AS test
# hadolint ignore=DL3008
RUN apt-get update -q && apt-get install -qy --no-install-recommends \
      chromium chromium-driver git graphviz make openssh-client procps util-linux && rm -rf /var/lib/apt/lists/*
RUN make .venv/.dev
ENTRYPOINT ["make"]
CMD ["test"]

FROM base
COPY --from=build /repair-bench/.venv .venv
# any user may write the runs, the downloaded datasets and the caches
RUN useradd --uid 10001 --create-home bench && install --directory --mode 1777 runs /home/bench
ENV HOME=/home/bench
USER 10001
ENTRYPOINT ["repair-bench"]
CMD ["--help"]
