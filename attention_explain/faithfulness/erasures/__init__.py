"""Ways to take tokens out of a text, one idea a file. Importing this registers them."""

import attention_explain.faithfulness.erasures.delete
import attention_explain.faithfulness.erasures.marginal
import attention_explain.faithfulness.erasures.mask
import attention_explain.faithfulness.erasures.unk
import attention_explain.faithfulness.erasures.zero  # noqa: F401
