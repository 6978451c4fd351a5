/** The formats that a trained model is written in. */
export const EXPORT_FORMATS = ['PyTorch', 'ONNX', 'TorchScript'] as const

/** How the weights of an exported model are stored. */
export const QUANTIZATIONS = ['none', 'float16', 'int8'] as const
