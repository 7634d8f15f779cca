"""The failures that schemathesis may report: rules that OpenAPI cannot express.

A request may name its edit token in the header or in the query, but not two different tokens. An
idempotency key may be repeated, but not with another body. A change may depend on a version that is not the
current one, or come after the post was deleted. Which texts are language tags, RFC 5646 says. The times of a post are in
the future, and go with its visibility.

Where an edit token and an API key both open an operation, schemathesis replaces one of them and sends the
other: `tests/kit` checks these credentials.
"""

import schemathesis
from schemathesis.openapi.checks import IgnoredAuth, RejectedPositiveData

EXCEPTIONS = {
    "conflicting_edit_tokens",
    "gone",
    "idempotency_key_reused",
    "precondition_failed",
}


def is_about_such_fields(problem):
    fields = {error["field"] for error in problem.get("errors", [])}
    return fields and fields <= {"language", "publish_at", "expires_at"}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, IgnoredAuth):
        return not case.operation.path.startswith("/api/posts/{id}")
    if not isinstance(failure, RejectedPositiveData):
        return True
    if response.headers.get("content-type") != ["application/problem+json"]:
        return True
    problem = response.json()
    return not (problem["code"] in EXCEPTIONS or is_about_such_fields(problem))
