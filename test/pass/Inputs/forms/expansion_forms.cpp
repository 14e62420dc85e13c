//===- expansion_forms.cpp - One function for each form of the IR ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass expansion-forms<OPTION;...> adds functions to a module. Each stores,
// does one instruction or intrinsic, and stores again. So code generation shows
// whether a call stands between the stores. Options:
//
//   cpu=NAME features=+A,-B (with + for ,)   attributes of the functions
//   optnone                                   as at -O0
//   transfers                                 only memcpy, memmove, memset
//
// What cannot be made is told, by name and with the reason.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace llvm;

namespace {

using Descriptor = Intrinsic::IITDescriptor;

class Forms {
public:
  Forms(Module &module, AttrBuilder attributes)
      : module_(module), context_(module.getContext()),
        attributes_(std::move(attributes)) {
    for (unsigned bits : {1, 8, 16, 32, 48, 64, 65, 128, 129, 256})
      scalars_.push_back(Type::getIntNTy(context_, bits));
    for (Type *type :
         {Type::getHalfTy(context_), Type::getBFloatTy(context_),
          Type::getFloatTy(context_), Type::getDoubleTy(context_),
          Type::getX86_FP80Ty(context_), Type::getFP128Ty(context_)})
      scalars_.push_back(type);
    types_ = scalars_;
    types_.push_back(PointerType::get(context_, 0));
    // Of each kind of element a vector or two: one that fits a register, and
    // one that has to be split.
    auto add_vectors = [&](Type *element, ArrayRef<unsigned> counts) {
      for (unsigned count : counts)
        types_.push_back(FixedVectorType::get(element, count));
    };
    add_vectors(Type::getInt1Ty(context_), {16});
    add_vectors(Type::getInt8Ty(context_), {8, 16});
    add_vectors(Type::getInt32Ty(context_), {2, 4, 8});
    add_vectors(Type::getInt64Ty(context_), {2, 4, 8});
    add_vectors(Type::getInt128Ty(context_), {2});
    add_vectors(Type::getHalfTy(context_), {2, 8});
    add_vectors(Type::getBFloatTy(context_), {2, 8});
    add_vectors(Type::getFloatTy(context_), {2, 4, 8, 16});
    add_vectors(Type::getDoubleTy(context_), {2, 4, 8});
    add_vectors(Type::getX86_FP80Ty(context_), {2});
    add_vectors(Type::getFP128Ty(context_), {2});
  }

  void add_all(bool only_transfers) {
    add_transfers();
    if (only_transfers)
      return;
    add_instructions();
    add_thread_locals();
    add_intrinsics();
  }

private:
  /// Makes a function around what `make` returns for `operands`.
  bool add(const std::string &name, ArrayRef<Type *> operands,
           const std::function<Value *(IRBuilder<> &, ArrayRef<Value *>)> &make,
           bool is_strict = false) {
    if (unsuitable(name))
      return true; // told once, for its intrinsic
    PointerType *pointer = PointerType::get(context_, 0);
    Function *function =
        Function::Create(FunctionType::get(Type::getVoidTy(context_),
                                           {pointer, pointer, pointer}, false),
                         Function::ExternalLinkage, name, module_);
    function->addFnAttrs(attributes_);
    if (is_strict)
      function->addFnAttr(Attribute::StrictFP);
    IRBuilder<> builder(BasicBlock::Create(context_, "", function));
    Value *shared = function->getArg(0);
    std::vector<Value *> values;
    for (auto [index, type] : enumerate(operands))
      values.push_back(builder.CreateLoad(
          type, builder.CreateConstGEP1_64(builder.getInt8Ty(),
                                           function->getArg(1), index * 256)));
    builder.CreateStore(builder.getInt8(1), shared);
    Value *made = make(builder, values);
    builder.CreateStore(
        builder.getInt8(2),
        builder.CreateConstGEP1_64(builder.getInt8Ty(), shared, 8));
    if (made && !made->getType()->isVoidTy() && made->getType()->isSized())
      builder.CreateStore(made, function->getArg(2));
    builder.CreateRetVoid();
    std::string problem;
    raw_string_ostream stream(problem);
    // To say what is wrong, LLVM numbers all that is in the module.
    if (!made || verifyFunction(*function, explains_ ? &stream : nullptr)) {
      refused_ = made ? StringRef(problem).split('\n').first.str()
                      : std::string("not possible");
      function->eraseFromParent();
      return false;
    }
    return true;
  }

  static std::string name_of(Type *type) {
    std::string name;
    raw_string_ostream stream(name);
    type->print(stream);
    for (char &letter : name)
      if (!isAlnum(letter) && letter != '_')
        letter = '.';
    return name;
  }

  void add_instructions() {
    for (unsigned code = Instruction::BinaryOpsBegin;
         code != Instruction::BinaryOpsEnd; ++code) {
      auto opcode = static_cast<Instruction::BinaryOps>(code);
      bool is_float =
          StringRef(Instruction::getOpcodeName(code)).starts_with("f");
      for (Type *type : types_)
        if (is_float ? type->isFPOrFPVectorTy() : type->isIntOrIntVectorTy())
          add(std::string(Instruction::getOpcodeName(code)) + "." +
                  name_of(type),
              {type, type},
              [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                return builder.Insert(
                    BinaryOperator::Create(opcode, values[0], values[1]));
              });
    }
    for (unsigned code = Instruction::CastOpsBegin;
         code != Instruction::CastOpsEnd; ++code)
      for (Type *from : types_)
        for (Type *to : types_)
          if (CastInst::castIsValid(static_cast<Instruction::CastOps>(code),
                                    from, to))
            add(std::string(Instruction::getOpcodeName(code)) + "." +
                    name_of(from) + "." + name_of(to),
                {from}, [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                  return builder.Insert(CastInst::Create(
                      static_cast<Instruction::CastOps>(code), values[0], to));
                });
    for (Type *type : types_) {
      std::string name = name_of(type);
      add("select." + name, {Type::getInt1Ty(context_), type, type},
          [](IRBuilder<> &builder, ArrayRef<Value *> values) {
            return builder.Insert(
                SelectInst::Create(values[0], values[1], values[2]));
          });
      add("freeze." + name, {type},
          [](IRBuilder<> &builder, ArrayRef<Value *> values) {
            return builder.CreateFreeze(values[0]);
          });
      if (type->isFPOrFPVectorTy()) {
        add("fneg." + name, {type},
            [](IRBuilder<> &builder, ArrayRef<Value *> values) {
              return builder.Insert(UnaryOperator::CreateFNeg(values[0]));
            });
        for (CmpInst::Predicate predicate :
             {CmpInst::FCMP_OEQ, CmpInst::FCMP_UEQ, CmpInst::FCMP_OLT,
              CmpInst::FCMP_UNO})
          add("fcmp." + utostr(predicate) + "." + name, {type, type},
              [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                return builder.Insert(
                    new FCmpInst(predicate, values[0], values[1]));
              });
      } else {
        for (CmpInst::Predicate predicate :
             {CmpInst::ICMP_EQ, CmpInst::ICMP_ULT, CmpInst::ICMP_SLE})
          add("icmp." + utostr(predicate) + "." + name, {type, type},
              [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                return builder.Insert(
                    new ICmpInst(predicate, values[0], values[1]));
              });
      }
      auto *vector = dyn_cast<FixedVectorType>(type);
      if (!vector)
        continue;
      Type *number = Type::getInt64Ty(context_),
           *element = vector->getElementType();
      add("extractelement." + name, {type, number},
          [](IRBuilder<> &builder, ArrayRef<Value *> values) {
            return builder.Insert(
                ExtractElementInst::Create(values[0], values[1]));
          });
      add("insertelement." + name, {type, element, number},
          [](IRBuilder<> &builder, ArrayRef<Value *> values) {
            return builder.Insert(
                InsertElementInst::Create(values[0], values[1], values[2]));
          });
      add("shufflevector." + name, {type, type},
          [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
            std::vector<int> mask;
            for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
              mask.push_back(
                  static_cast<int>(lane * 7 % (2 * vector->getNumElements())));
            return builder.CreateShuffleVector(values[0], values[1], mask);
          });
    }
    add("alloca", {Type::getInt64Ty(context_)},
        [](IRBuilder<> &builder, ArrayRef<Value *> values) {
          return builder.CreateAlloca(builder.getInt8Ty(), values[0]);
        });
  }

  void add_transfers() {
    PointerType *pointer = PointerType::get(context_, 0);
    for (unsigned bytes : {1,   7,   16,  31,  32,  33,  48,  63,  64,  65, 96,
                           100, 127, 128, 129, 160, 192, 255, 256, 257, 512})
      for (unsigned alignment : {1, 16})
        for (Attribute::AttrKind also :
             {Attribute::None, Attribute::OptimizeForSize,
              Attribute::NoImplicitFloat}) {
          if (also == Attribute::OptimizeForSize &&
              attributes_.contains(Attribute::OptimizeNone))
            continue; // the two exclude each other
          std::string end = utostr(bytes) + ".align" + utostr(alignment);
          if (also != Attribute::None)
            end += "." + Attribute::getNameFromAttrKind(also).str();
          auto add_one = [&](StringRef name, auto make) {
            if (add((name + "." + end).str(), {pointer, pointer},
                    [&](IRBuilder<> &builder,
                        ArrayRef<Value *> values) -> Value * {
                      if (also != Attribute::None)
                        builder.GetInsertBlock()->getParent()->addFnAttr(also);
                      return make(builder, values);
                    },
                    false))
              return;
            errs() << "skipped " << name << ": " << refused_ << '\n';
          };
          MaybeAlign align(alignment);
          add_one("memcpy",
                  [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                    return builder.CreateMemCpy(values[0], align, values[1],
                                                align, bytes);
                  });
          add_one("memmove",
                  [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                    return builder.CreateMemMove(values[0], align, values[1],
                                                 align, bytes);
                  });
          add_one("memset",
                  [&](IRBuilder<> &builder, ArrayRef<Value *> values) {
                    return builder.CreateMemSet(
                        values[0],
                        builder.CreatePtrToInt(values[1], builder.getInt8Ty()),
                        bytes, align);
                  });
        }
  }

  /// The module is one of a shared library.
  void add_thread_locals() {
    for (auto [name, model] :
         {std::pair("general", GlobalValue::GeneralDynamicTLSModel),
          std::pair("local", GlobalValue::LocalDynamicTLSModel),
          std::pair("initial", GlobalValue::InitialExecTLSModel)}) {
      auto *variable =
          new GlobalVariable(module_, Type::getInt64Ty(context_), false,
                             GlobalValue::ExternalLinkage,
                             Constant::getNullValue(Type::getInt64Ty(context_)),
                             std::string("variable.") + name, nullptr, model);
      add(std::string("thread_local.") + name, {},
          [&](IRBuilder<> &builder, ArrayRef<Value *>) {
            return builder.CreateThreadLocalAddress(variable);
          });
      add(std::string("thread_local.load.") + name, {},
          [&](IRBuilder<> &builder, ArrayRef<Value *>) {
            return builder.CreateLoad(builder.getInt64Ty(), variable);
          });
    }
  }

  /// What an operand may be that must be a constant or metadata.
  Value *fixed_operand(Type *type, unsigned number, bool is_constrained,
                       bool is_compare, bool is_last) {
    if (!type->isMetadataTy())
      return type->isPointerTy()
                 ? static_cast<Value *>(
                       ConstantPointerNull::get(cast<PointerType>(type)))
             : type->isFloatingPointTy() ? ConstantFP::get(type, 1.0)
                                         : ConstantInt::get(type, number);
    const char *text = !is_constrained ? "none"
                       : is_last       ? "fpexcept.strict"
                       : is_compare    ? "oeq"
                                       : "round.dynamic";
    return MetadataAsValue::get(context_, MDString::get(context_, text));
  }

  bool add_intrinsic(Intrinsic::ID id, ArrayRef<Type *> overloads) {
    FunctionType *type = Intrinsic::getType(context_, id, overloads);
    if (type->isVarArg())
      return refuse("a variable number of operands");
    AttributeList attributes = Intrinsic::getAttributes(context_, id);
    std::vector<Type *> operands;
    std::vector<bool> is_fixed;
    for (unsigned index = 0; index < type->getNumParams(); ++index) {
      Type *operand = type->getParamType(index);
      bool fixed = operand->isMetadataTy() ||
                   attributes.hasParamAttr(index, Attribute::ImmArg);
      if (!fixed && !operand->isSized())
        return refuse("an operand of no size");
      is_fixed.push_back(fixed);
      if (!fixed)
        operands.push_back(operand);
    }
    if (type->getReturnType()->isTokenTy())
      return refuse("a token as its result");
    std::string name = Intrinsic::getBaseName(id).drop_front(5).str();
    bool is_constrained = Intrinsic::isConstrainedFPIntrinsic(id);
    bool is_compare = StringRef(name).contains("constrained.fcmp");
    for (Type *overload : overloads)
      name += "." + name_of(overload);
    for (unsigned number : {0, 1})
      if (add(
              name, operands,
              [&](IRBuilder<> &builder, ArrayRef<Value *> values) -> Value * {
                std::vector<Value *> arguments;
                for (unsigned index = 0; index < is_fixed.size(); ++index) {
                  if (is_fixed[index]) {
                    arguments.push_back(fixed_operand(
                        type->getParamType(index), number, is_constrained,
                        is_compare, index + 1 == is_fixed.size()));
                  } else {
                    arguments.push_back(values.front());
                    values = values.drop_front();
                  }
                }
                CallInst *call = builder.CreateCall(
                    Intrinsic::getDeclaration(&module_, id, overloads),
                    arguments);
                if (is_constrained)
                  call->addFnAttr(Attribute::StrictFP);
                return call;
              },
              is_constrained))
        return true;
    return false;
  }

  bool refuse(const char *why) {
    refused_ = why;
    return false;
  }

  static bool fits(Type *type, Descriptor::ArgKind kind) {
    switch (kind) {
    case Descriptor::AK_AnyInteger:
      return type->isIntOrIntVectorTy();
    case Descriptor::AK_AnyFloat:
      return type->isFPOrFPVectorTy();
    case Descriptor::AK_AnyVector:
      return type->isVectorTy();
    case Descriptor::AK_AnyPointer:
      return type->isPointerTy();
    default:
      return true;
    }
  }

  /// Types that depend on an overloaded one must be makeable from it.
  static bool can_derive(ArrayRef<Descriptor> table,
                         ArrayRef<Type *> overloads) {
    for (const Descriptor &entry : table) {
      switch (entry.Kind) {
      case Descriptor::ExtendArgument:
      case Descriptor::TruncArgument: {
        Type *type = overloads[entry.getArgumentNumber()]->getScalarType();
        if (!type->isIntegerTy() || type->getIntegerBitWidth() % 2)
          return false;
        break;
      }
      case Descriptor::HalfVecArgument:
      case Descriptor::Subdivide2Argument:
      case Descriptor::Subdivide4Argument: {
        auto *type =
            dyn_cast<FixedVectorType>(overloads[entry.getArgumentNumber()]);
        if (!type || type->getNumElements() % 4 ||
            !type->isIntOrIntVectorTy() || type->getScalarSizeInBits() % 4)
          return entry.Kind == Descriptor::HalfVecArgument && type &&
                 type->getNumElements() % 2 == 0;
        break;
      }
      case Descriptor::VecElementArgument:
      case Descriptor::VecOfBitcastsToInt:
        if (!overloads[entry.getArgumentNumber()]->isVectorTy())
          return false;
        break;
      case Descriptor::VecOfAnyPtrsToElt:
        return false;
      default:
        break;
      }
    }
    return true;
  }

  void add_intrinsics() {
    for (Intrinsic::ID id = 1; id != Intrinsic::num_intrinsics; ++id) {
      StringRef name = Intrinsic::getBaseName(id).drop_front(5);
      if (Function::isTargetIntrinsic(id))
        continue; // those of x86 are instructions, others are not of x86
      if (const char *why = unsuitable(name)) {
        errs() << "skipped " << name << ": " << why << '\n';
        continue;
      }
      SmallVector<Descriptor, 8> table;
      Intrinsic::getIntrinsicInfoTableEntries(id, table);
      std::map<unsigned, Descriptor::ArgKind> kinds;
      for (const Descriptor &entry : table)
        if (entry.Kind == Descriptor::Argument &&
            entry.getArgumentKind() != Descriptor::AK_MatchType)
          kinds[entry.getArgumentNumber()] = entry.getArgumentKind();
      refused_ = "no type fits";
      unsigned made = 0;
      std::vector<Type *> last;
      std::vector<Type *> overloads(kinds.size());
      std::function<void(unsigned)> choose = [&](unsigned index) {
        if (index == kinds.size()) {
          if (can_derive(table, overloads)) {
            made += add_intrinsic(id, overloads);
            last = overloads;
          }
          return;
        }
        for (Type *type : types_) {
          // Nobody verifies what is reduced.
          if (name.starts_with("vector.reduce.") &&
              type->isFPOrFPVectorTy() != name.starts_with("vector.reduce.f"))
            continue;
          // Of the others as many lanes as of the first, and few types.
          if (!fits(type, kinds[index]) ||
              (index &&
               (lanes(type) != lanes(overloads[0]) ||
                (index > 1 && type != overloads[0] && type != overloads[1]))))
            continue;
          overloads[index] = type;
          choose(index + 1);
        }
      };
      choose(0);
      if (made)
        continue;
      if (refused_.empty()) {
        explains_ = true;
        add_intrinsic(id, last);
        explains_ = false;
      }
      errs() << "skipped " << name << ": " << refused_ << '\n';
    }
  }

  static unsigned lanes(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector ? vector->getNumElements() : 0;
  }

  static const char *unsuitable(StringRef name) {
    for (auto [prefix, why] : {
#define FORMS_SKIPPED(Prefix, Why) std::pair(Prefix, Why),
#include "skipped.def"
#undef FORMS_SKIPPED
         })
      if (name.starts_with(prefix))
        return why;
    return nullptr;
  }

  Module &module_;
  LLVMContext &context_;
  AttrBuilder attributes_;
  std::vector<Type *> scalars_, types_;
  std::string refused_; ///< why the last form could not be made, if it is known
  bool explains_ = false;
};

struct FormsPass : PassInfoMixin<FormsPass> {
  std::string cpu, features;
  bool is_optnone = false, only_transfers = false;

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    AttrBuilder attributes(module.getContext());
    if (!cpu.empty())
      attributes.addAttribute("target-cpu", cpu);
    attributes.addAttribute("target-features", features);
    attributes.addAttribute(Attribute::NoUnwind);
    if (is_optnone)
      attributes.addAttribute(Attribute::OptimizeNone)
          .addAttribute(Attribute::NoInline);
    module.setPICLevel(PICLevel::BigPIC);
    Forms(module, std::move(attributes)).add_all(only_transfers);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

/// Keeps the functions that have no call, if the pass is to be believed.
struct DropCallsPass : PassInfoMixin<DropCallsPass> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    constexpr unsigned kLineOfEnd = 2; // pass/CallLines.cpp
    unsigned made = 0, kept = 0;
    for (Function &function : make_early_inc_range(module)) {
      if (function.isDeclaration() || !function.hasExternalLinkage())
        continue;
      ++made;
      if (any_of(instructions(function), [](const Instruction &instruction) {
            return !instruction.isTerminator() && instruction.getDebugLoc() &&
                   instruction.getDebugLoc().getLine() == kLineOfEnd;
          }))
        function.eraseFromParent();
      else
        ++kept;
    }
    errs() << "forms " << made << ", in place " << kept << '\n';
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

bool parse(StringRef name, ModulePassManager &passes,
           ArrayRef<PassBuilder::PipelineElement>) {
  if (name == "drop-expected-calls") {
    passes.addPass(DropCallsPass());
    return true;
  }
  if (!name.consume_front("expansion-forms<") || !name.consume_back(">"))
    return false;
  FormsPass pass;
  SmallVector<StringRef> words;
  name.split(words, ';');
  for (StringRef word : words) {
    if (word.consume_front("cpu="))
      pass.cpu = word.str();
    else if (word.consume_front("feature="))
      pass.features += (pass.features.empty() ? "" : ",") + word.str();
    else if (word == "optnone")
      pass.is_optnone = true;
    else if (word == "transfers")
      pass.only_transfers = true;
  }
  passes.addPass(std::move(pass));
  return true;
}

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "expansion-forms", "1",
          [](PassBuilder &builder) {
            builder.registerPipelineParsingCallback(parse);
          }};
}
