"""A conversation that exceeds the context window is an outcome, whatever the words of a provider or a proxy."""

import pytest
from asking import ask
from server.scripted import Reply, refused

from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.traces.faults import ContextFull, ModelError, UsageError

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.02, budget=0.2)

LITELLM = (
    "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: AnthropicException - "
    '{"type":"error"}. Received Model Group=claude Available Model Group Fallbacks=None'
)
FULL = {
    "LiteLLM's proxy": refused(400, LITELLM, code="400"),
    "LiteLLM's proxy with 500": refused(500, LITELLM, code="500"),
    "OpenAI by code": refused(400, "Please shorten it.", code="context_length_exceeded"),
    "OpenAI in words": refused(400, "Your input exceeds the context window of this model. Please adjust your input."),
    "OpenAI, reasoning": refused(400, "Input tokens exceed the configured limit of 272000 tokens."),
    "vLLM": refused(
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, "
        "1000 in the completion). Please reduce the length of the messages or completion.",
        param="messages",
    ),
    "vLLM, newer": refused(
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 256. This model's maximum context length is 512 tokens "
        "and your request has 500 input tokens.",
        param="max_tokens",
    ),
    "vLLM, prompt": refused(400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    "SGLang": refused(400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "llama.cpp": refused(400, "the request exceeds the available context size, try increasing it"),
    "llama.cpp by type": Reply(
        b'{"error": {"code": 400, "message": "too much", "type": "exceed_context_size_error", "n_ctx": 4096}}', 400
    ),
    "llama-cpp-python": refused(400, "Requested tokens (5000) exceed context window of 2048"),
    "Anthropic": refused(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "Anthropic with an answer": refused(400, "input length and `max_tokens` exceed context limit: 190000 + 20000"),
    "Bedrock": refused(400, "Input is too long for requested model."),
    "Gemini": refused(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    "Mistral": refused(400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum"),
    "Cohere": refused(400, "too many tokens: total number of tokens in the prompt cannot exceed 4081"),
    "Groq": refused(413, "Please reduce the length of the messages or completion.", code="context_length_exceeded"),
    "Together": refused(422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193."),
    "Fireworks": refused(400, "The prompt is too long: 9000, model maximum context length: 8192"),
    "OpenRouter": refused(400, "This endpoint's maximum context length is 8192 tokens. However, you requested 9000."),
    "xAI": refused(400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    "GitHub": refused(413, "Request body too large for gpt-4o model. Max size: 8000.", code="tokens_limit_reached"),
    "Moonshot": refused(400, "Invalid request: Your request exceeded model token limit: 8192"),
    "Qwen": refused(400, "Range of input length should be [1, 30720]"),
    "watsonx": refused(400, "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model"),
    "LM Studio": refused(400, "The number of tokens to keep is greater than the context length."),
    "with status 200": Reply(b'{"error": {"code": 400, "message": "maximum context length is 8192 tokens"}}'),
}


@pytest.mark.parametrize("form", FULL)
def test_every_form_of_full_context_is_an_outcome(form):
    got, server = ask([FULL[form]], retry=QUICK)
    assert isinstance(got, ContextFull), got
    assert len(server.asked) == 1


OTHERS = {
    "quota of tokens": refused(
        429, "Request too large: limit 30000 input tokens a minute; exceeds the limit of tokens"
    ),
    "long completion": refused(400, "max_tokens is too large: 256. This model supports at most 128 completion tokens."),
    "output tokens": refused(400, "Invalid input: max_tokens (256) exceeds the limit of 128 output tokens."),
    "temperature": refused(400, "Invalid 'temperature': expected a value below 2.", param="temperature"),
    "name": refused(400, "Invalid model name passed in model=gpt-5o. Call `/v1/models` to view available models."),
    "prompt": refused(400, "The prompt was not acceptable."),
}


@pytest.mark.parametrize("form", OTHERS)
def test_other_refusals_are_not_a_full_context(form):
    got, _ = ask([OTHERS[form]], retry=QUICK)
    assert isinstance(got, ModelError | UsageError), got
