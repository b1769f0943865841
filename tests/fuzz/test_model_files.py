from fuzz import model_files


def test_any_file_loads_or_is_refused_in_a_sentence():
    model_files.run(seed=0, n=200)
