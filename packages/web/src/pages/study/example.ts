/** Initial example of a study: only the paths must be changed. */
export const EXAMPLE = `name: seeds and folds
question: Does it matter how image and table are joined?
config:
  data:
    train_csv: folder/data.csv   # one table; folds stand in the place of a split
  model:
    vision_backbone: resnet18
    fusion_type: gated
  training:
    epochs: 10
    batch_size: 32
    learning_rate: 0.001
seeds: 3                         # 0, 1, 2; or a list
folds: { k: 5 }                  # or { column: site }: leave one site out
variants:                        # each names what it changes
  - name: gated
  - name: table alone
    config: { model: { vision_backbone: none, fusion_type: concatenate } }
reference: gated
`
