from mercer.cli import main

main()
