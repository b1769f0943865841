"""A few hundred damaged files; ``loaders.run`` takes as many as there is time for."""

from fuzz import loaders


def test_a_damaged_file_is_loaded_soundly_or_refused():
    loaders.run(seed=0, n=300)


def test_damage_follows_from_the_seed():
    files = loaders.sound_files(1)["csv"]
    assert loaders.damage(files, loaders.random.Random(2)) == (
        loaders.damage(files, loaders.random.Random(2))
    )
