/** Export formats of a trained model. */
export const EXPORT_FORMATS = ['PyTorch', 'ONNX', 'TorchScript'] as const

/** A folder that predicts without Medloom, as a zip. Its model card is written by the service, so no node of a workflow writes it. */
export const PACKAGE = 'Package'

/** Formats of an export request. */
export const REQUEST_FORMATS = [...EXPORT_FORMATS, PACKAGE] as const

/** Storage formats of the weights of an exported model. */
export const QUANTIZATIONS = ['none', 'float16', 'int8'] as const
