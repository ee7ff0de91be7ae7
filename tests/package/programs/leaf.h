#ifdef __cplusplus
extern "C"
#endif
void leaf(void);
