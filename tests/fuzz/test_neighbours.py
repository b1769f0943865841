from fuzz.neighbours import run


def test_some_cases():
    run(seed=0, n=100)
