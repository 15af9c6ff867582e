package android.util;

/** Attributes of a view in a layout file; there are no such files here. */
public interface AttributeSet {
    int getAttributeCount();
}
