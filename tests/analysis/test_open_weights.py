import pytest

from repair_bench.analysis.open_weights import tier


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-5.1", "frontier"),
        ("openai/o3", "frontier"),
        ("openrouter/openai/gpt-oss-120b", "open"),
        ("anthropic/claude-opus-4-7", "frontier"),
        ("gemini/gemini-3-pro", "frontier"),
        ("ollama_chat/gemma3:27b", "open"),
        ("hosted_vllm/Qwen/Qwen2.5-7B-Instruct", "open"),
        ("dashscope/qwen3-max", "frontier"),
        ("deepseek/deepseek-reasoner", "open"),
        ("together_ai/meta-llama/Llama-4-Maverick", "open"),
        ("moonshot/kimi-k2-thinking", "open"),
        ("sim/expert", "unknown"),
        ("a-model-of-ours", "unknown"),
    ],
)
def test_the_tier_follows_from_the_name_or_is_unknown(model, expected):
    assert tier(model) == expected
