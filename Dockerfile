# repair-bench with all its extras but verifiers, and what its tests need: `make test` passes in it.
#
#     docker build -t repair-bench .
#     docker run --rm --security-opt seccomp=unconfined -v "$PWD/runs:/repair-bench/runs" repair-bench run --max-attempts 5
#
# Docker's own filter of system calls forbids namespaces, a layer of the sandbox; without the option `repair-bench doctor`
# says which layers are left. Everything is installed from the hashed lock files.
FROM python:3.11-slim-bookworm
RUN apt-get update -q && apt-get install -qy --no-install-recommends \
      chromium chromium-driver git graphviz make procps util-linux && rm -rf /var/lib/apt/lists/*
ENV LANG=C.UTF-8
WORKDIR /repair-bench
COPY . .
RUN make .venv/.dev
ENV PATH="/repair-bench/.venv/bin:$PATH"
ENTRYPOINT ["repair-bench"]
CMD ["--help"]
