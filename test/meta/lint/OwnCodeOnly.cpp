//===- OwnCodeOnly.cpp - Keeps clang-tidy out of others' headers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-tidy 19 matches its checks against every declaration of a file, those
// of system headers included, and then drops what it found there: three
// quarters of its time. This plugin leaves only our own declarations for it to
// look at.
//
//   clang-tidy --load=OwnCodeOnly.so ...
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;

namespace {

class OwnDeclarations : public ASTConsumer {
  void HandleTranslationUnit(ASTContext &context) override {
    const SourceManager &sources = context.getSourceManager();
    std::vector<Decl *> own;
    for (Decl *decl : context.getTranslationUnitDecl()->decls())
      if (!sources.isInSystemHeader(
              sources.getExpansionLoc(decl->getLocation())))
        own.push_back(decl);
    context.setTraversalScope(own);
  }
};

class OwnCodeOnly : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 StringRef) override {
    return std::make_unique<OwnDeclarations>();
  }
  bool ParseArgs(const CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }
  // Before clang-tidy's own consumer; no option is needed to start it.
  ActionType getActionType() override { return AddBeforeMainAction; }
};

} // namespace

static FrontendPluginRegistry::Add<OwnCodeOnly>
    registration("own-code-only", "let tools look at our own code only");
