"""What a whole request costs: messages, tools, images, reasoning, and the frames around them."""

from vox.tokens.kinds import Kind, weakest
from vox.tokens.request.cap import ReportedUsage, cap
from vox.tokens.request.count import PartCount, RequestCount, count_request
from vox.tokens.request.framing import Dialect, dialect_of, dialects
from vox.tokens.request.images import ImageCost, image_cost, image_size
from vox.tokens.request.shapes import (
    File,
    Image,
    Message,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    user,
)

__all__ = [
    "Dialect",
    "File",
    "Image",
    "ImageCost",
    "Kind",
    "Message",
    "PartCount",
    "Reasoning",
    "ReportedUsage",
    "Request",
    "RequestCount",
    "Text",
    "Tool",
    "ToolCall",
    "ToolResult",
    "assistant",
    "cap",
    "count_request",
    "dialect_of",
    "dialects",
    "image_cost",
    "image_size",
    "user",
    "weakest",
]
