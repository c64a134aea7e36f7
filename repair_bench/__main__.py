from repair_bench.cli import main

main()
