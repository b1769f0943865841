"""Tables, images and LIBSVM text with something wrong: each gets one sentence."""

import pytest

from made_files import check_sentence, undocumented, zip_text
from mercer.datasets import load_dataset
from mercer.exceptions import DataError

NO_VALUE = (
    "has no value; have such gaps filled in with missing='median' (--missing median), "
    "or their rows left out with missing='drop-rows' (--missing drop-rows)."
)
ASK = (
    "say which with label='first' or label='last' (--label first, --label last), or "
    "that there are none with label='none' (--label none)."
)
TABLE = b"1.5,2.5,0\n0.5,1.5,1\n2.5,0.5,0\n"

# name: (content, options, the sentence after "FILE: ")
BAD = {
    # tables with something wrong in a line
    "uneven.csv": (
        b"1,2,0\n3,4,1\n5,1\n6,7,0\n",
        {},
        "line 3 has 2 values where the lines before have 3; every line needs the "
        "same number.",
    ),
    "header-short.csv": (
        b"a,b,label\n1,2,3,0\n1,2,3,1\n",
        {},
        "line 2 has 4 values where the header has 3 names; every line needs the same "
        "number.",
    ),
    "word.csv": (
        b"1.5,2,0\n1.5,x2,1\n2.5,3,0\n",
        {},
        "line 2, column 2, is 'x2', which is not a number.",
    ),
    "word-in-first-line.csv": (
        b"1.5,x2,0\n1.5,2,1\n2.5,3,0\n",
        {},
        "line 1, column 2, is 'x2', which is not a number.",
    ),
    "missing.csv": (
        b"a,b,label\n1.5,2,0\n1.5,,1\n2.5,3,0\n",
        {},
        f"line 3, column 2, {NO_VALUE}",
    ),
    "missing-in-first-line.csv": (
        b"1.5,,0\n1.5,2.5,1\n2.5,3,0\n",
        {},
        f"line 1, column 2, {NO_VALUE}",
    ),
    "comma.csv": (
        b"1,5;2,5;0\n3,5;4,5;1\n",
        {"label": "last"},
        "line 1, column 1, is '1,5'; write decimals with a point.",
    ),
    "underscore.csv": (
        b"1.5,1_000,0\n2.5,2,1\n",
        {},
        "line 1, column 2, is '1_000', which is not a number.",
    ),
    "nan.csv": (
        b"\n1.5,2.5,0\n1.5,nan,1\n2.5,3.5,0\n",
        {},
        "line 3, column 2, is NaN, which means a missing value; every value must be a "
        "finite number.",
    ),
    "infinite.csv": (
        b"label,a,b\n0,1,2\n1,3,1e999\n",
        {},
        "line 3, column 3, is inf; every value must be a finite number.",
    ),
    "no-label.csv": (
        b"a,b,label\n1,2,0\n3,4,\n5,6,1\n",
        {},
        "line 3 has no label; every sample needs one.",
    ),
    "guessed-label.csv": (
        b"a,b,colour\n1.5,2,red\n3.5,4,\n5.5,6,blue\n2.5,8,red\n",
        {},
        "line 3 has no label in column 3 (colour), which looks like the labels; name "
        "their column with label= (--label), or 'none' where there are none.",
    ),
    "mixed-labels.csv": (
        b"a,b,label\n1,2,0\n3,4,rose\n5,6,1\n",
        {},
        "line 3 has the label 'rose' and line 2 has '0'; labels are all numbers or "
        "all words.",
    ),
    "fraction.csv": (
        b"a,b,label\n1,2,0\n3,4,0.5\n",
        {},
        "line 3 has the label 0.5; labels are whole numbers or words.",
    ),
    "outside.csv": (
        TABLE,
        {"labels": (1, 2)},
        "line 1 has the label 0, which is not one of 1, 2.",
    ),
    "ambiguous.csv": (
        b"0,1.5,1\n1,2.5,0\n0,3.5,1\n",
        {},
        f"both the first and the last column look like class labels; {ASK}",
    ),
    "no-classes.csv": (
        b"0.1,1.5,1.5\n1.2,2.5,0.2\n0.3,3.5,1.6\n",
        {},
        f"neither the first nor the last column looks like class labels; {ASK}",
    ),
    "two-labels.csv": (
        b"label,a,class\n0,1.5,1\n1,2.5,0\n",
        {},
        "the columns 'label' and 'class' could both hold the labels; pass label=.",
    ),
    "no-column.csv": (
        b"a,b,c\n1,2,0\n3,4,1\n",
        {"label": "kind"},
        "there is no column 'kind'; the names are: a, b, c.",
    ),
    "column-7.csv": (
        TABLE,
        {"label": 7},
        "there is no column 7; there are 3, from 0.",
    ),
    "one-column.csv": (
        b"1\n2\n3\n",
        {},
        "line 1 has one value only; a table needs a label and at least one feature in "
        "each line, with a separator between them.",
    ),
    "index.csv": (
        b",a,b,label\n0,1.5,2,0\n1,3,4,1\n",
        {"label": "first"},
        "the first column has no name and only counts the rows, as pandas writes its "
        "index; save the table without it (index=False).",
    ),
    "quote.csv": (
        b'1,2,"a\n3,4,"b\n',
        {},
        "line 1 is not well quoted (',' expected after '\"').",
    ),
    "latin.csv": (
        "1.5,2,rosé\n2.5,3,lys\n".encode("latin-1"),
        {},
        "line 1 is not UTF-8 text; save the file as UTF-8.",
    ),
    # images
    "pixels.csv": (
        TABLE,
        {"image_shape": (2, 2)},
        "line 1 has 2 values beside the label where 2x2 = 4 pixels are expected.",
    ),
    "zip.pixels": (
        zip_text(width=256, _1_0="4"),
        {"image_shape": (16, 16), "label": "first"},
        "line 1 has 255 values beside the label where 16x16 = 256 pixels are expected.",
    ),
    "zip.label": (
        zip_text(_1_0="12.0000"),
        {},
        "line 2 has the label 12, which is not one of 0..9.",
    ),
    "zip.range": (
        zip_text(_2_5="1.5"),
        {},
        "line 3, column 6, is 1.5, outside the range -1 to 1.",
    ),
    # LIBSVM text
    "pair.libsvm": (
        b"1 1:0.5 2:1\n2 1:0.5 2\n",
        {},
        "line 2 has '2' where index:value is expected.",
    ),
    "order.libsvm": (
        b"1 1:0.5 2:1\n2 2:0.5 1:1\n",
        {},
        "line 2 has the index 1 after 2; indices must grow.",
    ),
    "label.libsvm": (
        b"1 1:0.5\nrose 1:0.5\n",
        {},
        "line 2 has the label 'rose'; labels are numbers in LIBSVM text.",
    ),
    "nan.libsvm": (
        b"1 1:0.5 4:1\n# note\n2 1:0.5 3:nan\n",
        {},
        "line 3, index 3, is NaN, which means a missing value; every value must be a "
        "finite number.",
    ),
    "qid.libsvm": (
        b"1 qid:1 1:0.5\n2 qid:1 1:0.5\n",
        {},
        "line 1 has a query (qid:), which belongs to ranking, not to classes.",
    ),
    "wide.libsvm": (
        b"1 1:0.5\n2 9:0.5\n",
        {"image_shape": (2, 2)},
        "line 2 has an index beyond the 2x2 = 4 pixels that are expected.",
    ),
    "huge-index.libsvm": (
        b"1 1:0.5\n2 99999999999:0.5\n",
        {},
        "line 2 has the index 99999999999, which is too large.",
    ),
    "endless-index.libsvm": (
        b"1 1:0.5\n2 " + b"9" * 5000 + b":0.5\n",
        {},
        f"line 2 has the index {'9' * 40}…, which is too large.",
    ),
    "underscore.libsvm": (
        b"1 1:0.5\n2 1:1_0\n",
        {},
        "line 2 has '1:1_0' where index:value is expected.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_its_sentence(name, tmp_path):
    check_sentence(tmp_path / name, *BAD[name])


def test_sparse_data_that_would_be_too_large_as_an_array(tmp_path):
    path = tmp_path / "wide.libsvm"
    path.write_bytes(b"1 2000000000:1\n2 1:1\n" * 100)
    assert load_dataset(path).X.shape == (200, 2_000_000_000)
    with pytest.raises(DataError, match=r"as a dense array it takes 2\.91 TB"):
        load_dataset(path, dense=True)


def test_the_documentation_has_every_sentence():
    assert undocumented(BAD) == []
