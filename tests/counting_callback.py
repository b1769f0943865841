"""A callback of scikit-learn's interface that counts."""


class CountingCallback:
    def __init__(self):
        self.begun = self.ended = 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context, **kwargs):
        self.begun += 1

    def on_fit_task_end(self, estimator, context, **kwargs):
        self.ended += 1
