"""Tables and figures of the faithfulness studies: no single paper has them."""
