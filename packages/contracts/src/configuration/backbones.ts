/** Vision backbones of a training: timm model name, family, aliases. Source: timm 1.0 model registry. */
export interface Backbone {
  readonly name: string
  readonly family: BackboneFamily
  readonly aliases: readonly string[]
  /** Transformers build fixed position embeddings, so their image size is set at creation. */
  readonly takes_image_size: boolean
  /** Both sides of image_size must be a multiple of this many pixels. */
  readonly size_multiple: number
}

export type BackboneFamily =
  | 'resnet'
  | 'densenet'
  | 'mobilenet'
  | 'efficientnet'
  | 'regnet'
  | 'convnext'
  | 'vit'
  | 'swin'
  | 'maxvit'

const cnn = (family: BackboneFamily, name: string, ...aliases: string[]): Backbone => ({
  name,
  family,
  aliases,
  takes_image_size: false,
  size_multiple: 1,
})
const transformer = (
  family: BackboneFamily,
  size_multiple: number,
  name: string,
  ...aliases: string[]
): Backbone => ({ name, family, aliases, takes_image_size: true, size_multiple })

export const BACKBONES: readonly Backbone[] = [
  cnn('resnet', 'resnet18', 'ResNet18'),
  cnn('resnet', 'resnet34', 'ResNet34'),
  cnn('resnet', 'resnet50', 'ResNet50'),
  cnn('resnet', 'resnet101', 'ResNet101'),
  cnn('resnet', 'resnet152', 'ResNet152'),
  cnn('densenet', 'densenet121', 'DenseNet121'),
  cnn('densenet', 'densenet169', 'DenseNet169'),
  cnn('mobilenet', 'mobilenetv2_100', 'mobilenetv2'),
  cnn('mobilenet', 'mobilenetv3_small_100', 'mobilenetv3_small'),
  cnn('mobilenet', 'mobilenetv3_large_100', 'mobilenetv3_large'),
  cnn('efficientnet', 'efficientnet_b0', 'EfficientNet'),
  cnn('efficientnet', 'efficientnet_b1'),
  cnn('efficientnet', 'efficientnet_b2'),
  cnn('efficientnet', 'efficientnet_b3'),
  cnn('efficientnet', 'efficientnet_b4'),
  cnn('efficientnet', 'tf_efficientnetv2_s', 'efficientnet_v2_s'),
  cnn('efficientnet', 'tf_efficientnetv2_m', 'efficientnet_v2_m'),
  cnn('efficientnet', 'tf_efficientnetv2_l', 'efficientnet_v2_l'),
  cnn('regnet', 'regnety_004', 'regnet_y_400mf'),
  cnn('regnet', 'regnety_016', 'regnet_y_1_6gf'),
  cnn('regnet', 'regnety_032', 'regnet_y_3_2gf'),
  cnn('convnext', 'convnext_tiny', 'ConvNeXt'),
  cnn('convnext', 'convnext_small'),
  cnn('convnext', 'convnext_base'),
  transformer('vit', 16, 'vit_small_patch16_224', 'vit_s_16'),
  transformer('vit', 16, 'vit_base_patch16_224', 'ViT', 'vit_b_16'),
  transformer('swin', 32, 'swin_tiny_patch4_window7_224', 'Swin', 'swin_t'),
  transformer('swin', 32, 'swin_small_patch4_window7_224', 'swin_s'),
  transformer('maxvit', 32, 'maxvit_tiny_tf_224', 'MaxViT', 'maxvit_t'),
]

const BY_NAME = new Map<string, Backbone>(
  BACKBONES.flatMap((backbone) =>
    [backbone.name, ...backbone.aliases].map((name) => [name.toLowerCase(), backbone] as const),
  ),
)

/** Backbone with this name or alias, case-insensitive; undefined if there is none. */
export function findBackbone(name: string): Backbone | undefined {
  return BY_NAME.get(name.toLowerCase())
}

/** All names that a configuration may use, canonical names first. */
export const BACKBONE_NAMES: readonly string[] = [
  ...BACKBONES.map((backbone) => backbone.name),
  ...BACKBONES.flatMap((backbone) => backbone.aliases),
]
