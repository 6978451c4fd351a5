import type { CatalogWords } from './keys'
import { leakage } from './zh-fields'

/** Nodes that build and train a model. */
export const modelNodes = {
  SelectBackbone: {
    title: '选择骨干网络',
    summary: '选择读取图像的网络。',
    inputs: {},
    outputs: { backbone_config: '骨干网络' },
    config: {
      model_name: ['骨干网络', '网络名称，或 ResNet50、EfficientNet、ViT、Swin 等常用名；“none” 只读表格。'],
      pretrained: ['预训练权重', '从学好的权重（true 或本地的 safetensors 文件）开始，而不是随机权重。'],
      freeze_layers: ['冻结的级数', '网络从输入起不训练的级数，或 “all”。'],
      output_dim: ['图像嵌入宽度', '骨干网络之后描述一幅图像的数的个数；不填则与融合所用的相同。'],
    },
  },
  SelectFusion: {
    title: '选择融合方式',
    summary: '选择图像与表格的表示如何融合。',
    inputs: {},
    outputs: { fusion_config: '融合方式' },
    config: {
      strategy: ['策略', '两种表示如何结合；“none” 不用表格。'],
      hidden_dim: ['宽度', '融合表示的数的个数；使用注意力时须为注意力头数的倍数。'],
      num_heads: ['注意力头数', 'attention 和 cross_attention 策略的头数。'],
      members: ['表格网络个数', '训练多个表格网络并取预测的均值；不填时，只用表格以及策略 late 的表格为 5。'],
      linear_share: [
        '线性模型的份额',
        '多个表格网络的每个预测中，同一行的线性模型所占的份额；不填时为 0.5，一个网络为 0。',
      ],
      missing_token: ['缺失的表格值', '模型起初如何读取缺失值：训练行的均值，或（如 0.1.0 版）随机数。'],
      image_weight: ['图像权重', '策略 late：图像相对表格（权重 1）的权重；“validation” 由验证病例选择。'],
      dropout: ['随机失活比例', '训练时随机去掉的激活比例。'],
    },
  },
  SelectAggregator: {
    title: '选择多图像合并',
    summary: '选择同一病例的多幅图像如何成为一个表示。',
    inputs: {},
    outputs: { aggregator_config: '合并方式' },
    config: {
      method: ['方法', '均值、最大值、对视图的注意力、视图间的注意力，或每个视图一个学习的权重。'],
      learnable: ['可学习', '训练该方法的参数；关闭则保持初始值。'],
      missing_strategy: ['缺失的视图', '不计入缺失的视图，或用学习的标记代替。'],
    },
  },
  BuildModel: {
    title: '构建模型',
    summary: '用各部分构建网络并计算参数个数。',
    inputs: { backbone_config: '骨干网络', fusion_config: '融合方式', aggregator_config: '合并方式' },
    outputs: { model: '模型', model_summary: '层与参数' },
    config: {
      num_classes: ['类别数', '类别数，或多个标签的个数；不填则由标签决定。'],
      task_type: [
        '任务',
        '预测一个类别（classification）、一个数（regression）、多个是或否的标签（multilabel），或到事件的时间（survival）。',
      ],
      survival_intervals: ['时间区间数', '任务 survival：各有其风险的区间个数。'],
    },
  },
  ConfigureTraining: {
    title: '设置训练',
    summary: '设置模型如何学习。',
    inputs: {},
    outputs: { training_config: '训练设置' },
    config: {
      learning_rate: ['学习率', '学习率调度最高处的步长。'],
      batch_size: ['批大小', '每一步所学的病例数。'],
      epochs: ['训练轮数', '每个训练病例被学习的次数。'],
      optimizer: ['优化器', '梯度如何成为更新步。'],
      scheduler: ['学习率调度', '学习率在训练中如何变化。'],
      loss_function: ['损失函数', '要减小的量；auto 对类别用 cross_entropy，对数值用 mse。'],
      mixed_precision: ['混合精度', '在安全处用 16 位计算；auto 在支持 bf16 的 CUDA 设备上启用。'],
    },
  },
  TrainModel: {
    title: '训练模型',
    summary: '以训练任务训练模型，并保留最佳检查点。',
    inputs: {
      model: '模型',
      train_dataset: '训练数据',
      val_dataset: '验证数据',
      training_config: '训练设置',
    },
    outputs: { trained_model: '训练好的模型', training_history: '每轮的指标', best_checkpoint: '最佳检查点' },
    config: {
      'early_stopping.monitor': ['早停监控指标', '选择最佳轮次的指标（auto：val_loss）。'],
      'early_stopping.patience': ['早停耐心值', '连续多少轮没有改进就结束训练；null：训练全部轮次。'],
      'early_stopping.min_delta': ['早停最小变化', '使耐心值重新计数的最小改进；最佳轮次按任何改进选择。'],
      baselines: [
        '基线模型',
        '在同样病例上拟合并与该模型并列显示的简单模型；不填时，模型读取表格则为逻辑回归（生存分析为 Cox 回归）和随机森林。',
      ],
      checkpoint_interval: ['检查点间隔', '除最佳和最后的检查点外，每 n 轮保留一个。'],
      log_interval: ['进度间隔', '每 n 批报告一次进度，每秒最多十次。'],
      allow_leakage: leakage(''),
    },
  },
  ResumeTraining: {
    title: '继续训练',
    summary: '从传入的检查点继续训练，作为新的训练任务：同一训练的继续，或用其他数据微调。',
    inputs: { checkpoint_path: '检查点', train_dataset: '训练数据', val_dataset: '验证数据' },
    outputs: { trained_model: '训练好的模型', training_history: '每轮的指标' },
    config: {
      mode: [
        '方式',
        'continue：同一训练从检查点的轮次继续，用原来的数据；fine_tune：以其权重开始新的训练，用此处传入的数据。',
      ],
      epochs: ['训练轮数', '此处训练多少轮；不填则与其训练设置的轮数相同。'],
      learning_rate: ['学习率', '用于微调；不填则与其训练相同。'],
      allow_leakage: leakage('，或模型已学过用于验证的病例，'),
    },
  },
} as const satisfies Partial<CatalogWords>
