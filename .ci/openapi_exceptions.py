"""The failures that schemathesis may report: two rules that OpenAPI cannot express.

A request may name its edit token in the header or in the query, but not two different tokens. An
idempotency key may be repeated, but not with another body.
"""

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

EXCEPTIONS = {"conflicting_edit_tokens", "idempotency_key_reused"}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    is_exception = (
        isinstance(failure, RejectedPositiveData)
        and response.headers.get("content-type") == ["application/problem+json"]
        and response.json()["code"] in EXCEPTIONS
    )
    return not is_exception
