export const AXES = ['axial', 'coronal', 'sagittal'] as const

/** How an image is looked at; what is left out is as the file says. */
export interface ImageLook {
  /** model: exactly what a model reads. */
  readonly as?: 'model' | undefined
  readonly axis?: (typeof AXES)[number] | undefined
  readonly slice?: number | undefined
  /** Of the model: which of its views, from 1. */
  readonly view?: number | undefined
  /** The window, in the units of the image. */
  readonly center?: number | undefined
  readonly width?: number | undefined
}
