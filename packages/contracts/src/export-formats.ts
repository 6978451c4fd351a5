/** Export formats of a trained model. */
export const EXPORT_FORMATS = ['PyTorch', 'ONNX', 'TorchScript'] as const

/** Storage formats of the weights of an exported model. */
export const QUANTIZATIONS = ['none', 'float16', 'int8'] as const
