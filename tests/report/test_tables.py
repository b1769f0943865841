from mercer.report.tables import best_rows, to_csv, to_latex, to_markdown
from mercer.studies import Spread
from mercer.studies.story import Column, Table

TABLE = Table(
    "learners",
    "Every learner",
    [
        Column("learner"),
        Column("test error", "%", 2, best="low"),
        Column("fit", "s", best="low"),
        Column("vectors"),
        Column("converged"),
    ],
    [
        ["SVM, γ = 2", Spread(2.345, 0.1, 5), 0.0123456, 1234, True],
        ["a|b_c <i> & $5 ± 1 %", Spread(15.1, None, 1), 12.5, None, False],
    ],
    "Mean ± std.",
)

MARKDOWN = r"""**Every learner**

| learner | test error (%) | fit (s) | vectors | converged |
| --- | ---: | ---: | ---: | --- |
| SVM, γ = 2 | **2.35 ± 0.10** | **0.0123** | 1,234 | yes |
| a\|b\_c \<i\> & $5 ± 1 % | 15.10 | 12.5 | – | no |

Mean ± std.
"""

LATEX = r"""\begin{table}
\centering
\caption{Every learner. Mean $\pm$ std.}
\begin{tabular}{lrrrl}
\toprule
learner & test error (\%) & fit (s) & vectors & converged \\
\midrule
SVM, $\gamma$ = 2 & \textbf{2.35 $\pm$ 0.10} & \textbf{0.0123} & 1,234 & yes \\
a|b\_c <i> \& \$5 $\pm$ 1 \% & 15.10 & 12.5 & -- & no \\
\bottomrule
\end{tabular}
\end{table}
"""

CSV = """learner,test error (%),test error (%) std,fit (s),vectors,converged
"SVM, γ = 2",2.345,0.1,0.0123456,1234,True
a|b_c <i> & $5 ± 1 %,15.1,,12.5,,False
"""


def test_markdown():
    assert to_markdown(TABLE) == MARKDOWN


def test_latex():
    assert to_latex(TABLE) == LATEX


def test_csv():
    assert to_csv(TABLE) == CSV


def test_digits_end_where_a_spread_is_next_to_nothing():
    entries = [Spread(3.7749738248239861, 2.1e-11, 2), Spread(78.9689281, 3e-9, 2)]
    table = Table("t", "", [Column("s")], [[entry] for entry in entries])
    assert "| 3.774974 ± 2e-11 |" in to_markdown(table)
    assert "| 78.96893 ± 3e-09 |" in to_markdown(table)


def test_the_digits_follow_the_spread():
    table = Table("t", "", [Column("s")], [[Spread(1.2346, 0.0213, 3)]])
    assert "1.235 ± 0.021" in to_markdown(table)
    table = Table("t", "", [Column("s")], [[Spread(12345.6, 234.5, 3)]])
    assert "12,346 ± 234" in to_markdown(table)


def test_nothing_is_best_among_equals():
    table = Table("t", "", [Column("s", best="low")], [[1.0], [1.0]])
    assert best_rows(table, 0) == set()
